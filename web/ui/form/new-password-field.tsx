import { lazy, Suspense, useState } from 'react'
import { spoken } from '#web/lib/i18n/catalogue.ts'
import { t } from '#web/lib/i18n/messages.ts'
import { Field } from './field.tsx'
import { LazyBoundary } from '../lazy-boundary.tsx'
import { PasswordInput } from './password-input.tsx'

// Meter, estimator and dictionaries come with the first focus, never before.
const load = () => import('./password-strength.tsx')
const PasswordStrength = lazy(() => load().then((module) => ({ default: module.PasswordStrength })))

/** A new password with its live strength. `about` are words of the person's own that make it easy to guess. */
export function NewPasswordField({
  label,
  name,
  value,
  about,
  error,
  onChange,
}: {
  label: string
  name: string
  value: string
  about: readonly string[]
  error: string | null
  onChange: (value: string) => void
}) {
  const [focused, setFocused] = useState(false)
  return (
    <div className="grid gap-2">
      <Field label={label} error={error} hint={t('password.hint')} required>
        <PasswordInput
          large
          name={name}
          autoComplete="new-password"
          value={value}
          onFocus={() => setFocused(true)}
          onChange={(event) => onChange(event.target.value)}
        />
      </Field>
      {(focused || value !== '') && (
        <LazyBoundary level="part">
          <Suspense fallback={<div className="h-4" />}>
            <PasswordStrength password={value} about={about} error={error} />
          </Suspense>
        </LazyBoundary>
      )}
    </div>
  )
}

/** What is wrong with a new password, in words; null when nothing is, or when only the server can judge. */
export async function newPasswordProblem(password: string, about: readonly string[]): Promise<string | null> {
  if (password === '') return t('form.password_missing')
  try {
    const { problem } = await (await load()).judge(password, about)
    return problem && spoken(problem)
  } catch {
    // The estimator could not be loaded; the server has the same rule.
    return null
  }
}
