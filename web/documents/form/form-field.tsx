import type { ReactNode } from 'react'
import { fieldLabel } from '#shared/doctype.ts'
import type { Field as DescribedField } from '#shared/fields.ts'
import { translateText } from '#web/lib/i18n/catalog.ts'
import { Checkbox } from '#web/ui/form/checkbox.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { Input, Textarea } from '#web/ui/form/input.tsx'
import { PasswordInput } from '#web/ui/form/password-input.tsx'
import { Select } from '#web/ui/form/select.tsx'
import { t } from './messages.ts'
import type { EditControl } from './use-edit-form.ts'
import type { FormControl } from './use-form.ts'

/** Field options that override the description. */
export interface FormFieldOptions {
  label?: string
  hint?: ReactNode
  /** Replaces the description's choices. */
  choices?: readonly { value: string; label: string }[]
  /** The choices are names and not translated. */
  verbatim?: boolean
  /** Label of the empty choice, which can be chosen then unless the field is required. */
  none?: string
  prefix?: ReactNode
  suffix?: ReactNode
  /** The suffix stands directly behind the text. */
  suffixFollows?: boolean
  autoComplete?: string
  /** Normalizes the input, e.g. to lower case. */
  clean?: (value: string) => string
  placeholder?: string
  /** Why a check is off and can't be turned on. */
  off?: string | null
}

const inputTypes: Readonly<Record<string, string>> = { email: 'email', url: 'url', phone: 'tel' }

/** One form field, rendered by its description, with label, hint and error. */
export function FormField({
  control,
  name,
  ...options
}: { control: FormControl | EditControl; name: string } & FormFieldOptions) {
  const field = control.form.fields[name]
  if (!field) return null
  const fixed = 'fixed' in control && control.fixed(name)
  const label = options.label ?? translateText(fieldLabel(name, field))
  if (field.fieldtype === 'Check') {
    const off = options.off ?? null
    return (
      <Checkbox
        name={name}
        label={label}
        hint={off ?? options.hint ?? (field.description && translateText(field.description))}
        error={control.errors[name] ?? null}
        checked={off === null && control.values[name] === 1}
        disabled={fixed || off !== null}
        onChange={(event) => control.set(name, event.target.checked ? 1 : 0)}
      />
    )
  }
  return (
    <Field
      label={label}
      hint={options.hint ?? (field.description && translateText(field.description))}
      error={control.errors[name]}
      required={field.reqd ?? false}
    >
      <Control control={control} name={name} field={field} options={options} fixed={fixed} />
    </Field>
  )
}

function Control({
  control,
  name,
  field,
  options,
  fixed,
}: {
  control: FormControl | EditControl
  name: string
  field: DescribedField
  options: FormFieldOptions
  fixed: boolean
}) {
  const value = String(control.values[name] ?? '')
  const common = {
    name,
    value,
    onBlur: () => control.blur(name),
    onChange: (event: { target: { value: string } }) =>
      control.set(name, options.clean ? options.clean(event.target.value) : event.target.value),
  }
  const choices =
    options.choices ??
    (Array.isArray(field.options)
      ? field.options.map((choice: string) => ({ value: choice, label: translateText(choice) }))
      : null)
  if (choices && (options.choices || field.fieldtype === 'Select' || field.fieldtype === 'Link')) {
    // A stored optional choice can be cleared.
    const optional = ('changed' in control || options.none !== undefined) && !field.reqd
    return (
      <Select {...common} disabled={fixed}>
        {optional ? (
          <option value="">{options.none ?? t('form.none')}</option>
        ) : value === '' ? (
          <option value="" disabled>
            {t('form.choose')}
          </option>
        ) : null}
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value} translate={options.verbatim ? 'no' : undefined}>
            {choice.label}
          </option>
        ))}
      </Select>
    )
  }
  if (field.fieldtype === 'Password') return <PasswordInput {...common} autoComplete={options.autoComplete ?? 'off'} />
  if (field.fieldtype === 'Small Text' || field.fieldtype === 'Long Text')
    return <Textarea {...common} readOnly={fixed} placeholder={options.placeholder} />
  const numeric = field.fieldtype === 'Int' || field.fieldtype === 'Float'
  return (
    <Input
      {...common}
      readOnly={fixed}
      type={field.fieldtype === 'Date' ? 'date' : (inputTypes[field.format ?? ''] ?? 'text')}
      inputMode={numeric ? (field.fieldtype === 'Int' ? 'numeric' : 'decimal') : undefined}
      autoComplete={options.autoComplete ?? 'off'}
      placeholder={options.placeholder}
      // No autocorrection for names of machines and accounts.
      {...(field.format && { autoCapitalize: 'none', spellCheck: false })}
      {...(options.prefix !== undefined && { prefix: options.prefix })}
      {...(options.suffix !== undefined && { suffix: options.suffix, suffixFollows: options.suffixFollows ?? false })}
    />
  )
}
