import { useEffect, useState } from 'react'
import {
  passwordStrength,
  type PasswordLevel,
  type PasswordStrength as Strength,
} from '#shared/rules/password-strength.ts'
import { translateText, messageText } from '#web/lib/i18n/catalog.ts'
import { cx } from '#web/lib/browser/cx.ts'
import { t } from '#web/lib/i18n/messages.ts'

/** The strength estimate itself, for forms. */
export const estimateStrength = passwordStrength

// This module is loaded on the first focus of a new password and starts downloading the dictionaries (400 kB). A failed
// download is retried, and reported, on the first keystroke.
passwordStrength('-').catch(() => undefined)

/** Live strength of a password. `failed`: the estimator failed to load, so only the server can check. */
function useStrength(password: string, about: readonly string[]): { strength: Strength | null; failed: boolean } {
  const [state, setState] = useState<{ password: string; strength: Strength | null }>({ password: '', strength: null })
  const aboutKey = about.join('\n')
  useEffect(() => {
    if (password === '') return
    let current = true
    passwordStrength(password, aboutKey.split('\n')).then(
      (strength) => current && setState({ password, strength }),
      () => current && setState({ password, strength: null }),
    )
    return () => {
      current = false
    }
  }, [password, aboutKey])
  if (password === '') return { strength: null, failed: false }
  return { strength: state.strength, failed: state.password === password && state.strength === null }
}

const fills: Record<PasswordLevel, string> = {
  'No Strength': 'bg-m-bad',
  Weak: 'bg-m-bad',
  Average: 'bg-m-warn',
  Excellent: 'bg-m-ok',
}
const tones: Record<PasswordLevel, string> = {
  'No Strength': 'text-muted',
  Weak: 'text-bad',
  Average: 'text-warn',
  Excellent: 'text-ok',
}

/** Strength meter of a new password: three segments, the level's fixed name, and suggestions. */
export function PasswordStrength({
  password,
  about,
  error,
}: {
  password: string
  about: readonly string[]
  /** Error shown by the field, not repeated here. */
  error: string | null
}) {
  const { strength, failed } = useStrength(password, about)
  const level: PasswordLevel = strength?.level ?? 'No Strength'
  const value = strength?.value ?? 0
  const advice = failed
    ? t('password.no_estimator')
    : password === ''
      ? null
      : strength?.problem && messageText(strength.problem)
  return (
    <div className="grid gap-1">
      <div className="flex items-center gap-3">
        <div
          role="meter"
          aria-label={t('password.strength')}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={value}
          aria-valuetext={translateText(level)}
          className="grid flex-1 grid-cols-3 gap-1"
        >
          {[1, 34, 67].map((from) => (
            <span
              key={from}
              className={cx('h-1 rounded-full transition-colors', value >= from ? fills[level] : 'bg-track')}
            />
          ))}
        </div>
        <span className={cx('min-w-19 text-right text-meta font-medium', tones[level])} aria-live="polite">
          {translateText(level)}
        </span>
      </div>
      {advice && advice !== error && <p className="text-meta text-muted">{advice}</p>}
    </div>
  )
}
