import { lazy, Suspense, useState } from 'react'
import { messageText } from '#web/lib/i18n/catalog.ts'
import { t } from '#web/lib/i18n/messages.ts'
import { Field } from '#web/ui/form/field.tsx'
import { LazyBoundary } from '#web/ui/lazy-boundary.tsx'
import { PasswordInput } from '#web/ui/form/password-input.tsx'

// Meter, estimator and dictionaries are loaded on first focus.
const load = () => import('./password-strength.tsx')
const PasswordStrength = lazy(() => load().then((module) => ({ default: module.PasswordStrength })))

/** Input for a new password with a live strength meter. `about`: user data that would make a password easy to guess. */
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

/** Validation error of a new password; null if it is valid, or if only the server can check it. */
export async function newPasswordProblem(password: string, about: readonly string[]): Promise<string | null> {
  if (password === '') return t('form.password_missing')
  try {
    const { problem } = await (await load()).estimateStrength(password, about)
    return problem && messageText(problem)
  } catch {
    // The estimator failed to load; the server applies the same rule.
    return null
  }
}
