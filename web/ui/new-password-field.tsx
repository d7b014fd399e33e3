import { t } from '#web/lib/messages.ts'
import { Field } from './field.tsx'
import { PasswordInput } from './password-input.tsx'
import { preloadStrength, StrengthMeter, usePasswordStrength } from './password-strength.tsx'

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
  const { strength, failed } = usePasswordStrength(value, about)
  const hint = failed
    ? t('password.no_estimator')
    : value === ''
      ? t('password.hint')
      : (strength?.problem ?? t('password.good'))
  return (
    <div className="grid gap-2">
      <Field label={label} error={error} hint={hint} required>
        <PasswordInput
          large
          name={name}
          autoComplete="new-password"
          value={value}
          onFocus={preloadStrength}
          onChange={(event) => onChange(event.target.value)}
        />
      </Field>
      <StrengthMeter strength={value === '' ? null : strength} />
    </div>
  )
}
