import { useState } from 'react'
import { fieldLabel } from '#shared/doctype.ts'
import { translateText } from '#web/lib/i18n/catalog.ts'
import { Button } from '#web/ui/button.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { PasswordInput } from '#web/ui/form/password-input.tsx'
import type { FormFieldOptions } from './form-field.tsx'
import { t } from './messages.ts'
import type { EditControl } from './use-edit-form.ts'

/**
 * A write-only secret of a stored document: shows whether it is set, takes a new one, and removes it with the next save. The
 * server never returns its value, so there is nothing to reveal. `since` is when it was set, if known.
 */
export function SecretField({
  control,
  name,
  removable = true,
  since,
  ...options
}: {
  control: EditControl
  name: string
  /** False if the page removes secrets together elsewhere. */
  removable?: boolean
  since?: string | null | undefined
} & Pick<FormFieldOptions, 'label' | 'hint' | 'placeholder'>) {
  const [replacing, setReplacing] = useState(false)
  const field = control.form.fields[name]
  if (!field) return null
  const label = options.label ?? translateText(fieldLabel(name, field))
  const { set, removing } = control.secretState(name)
  const typed = String(control.values[name] ?? '')
  const hint = options.hint ?? (field.description && translateText(field.description))
  if (set && !replacing && typed === '') {
    return (
      <div role="group" aria-label={label} className="grid content-start gap-1.5">
        <span className="text-table font-medium">{label}</span>
        <div className="flex min-h-9 flex-wrap items-center gap-2 rounded-ctl border border-border bg-sunken py-1 pr-1 pl-2.5 max-md:min-h-11">
          <span className="min-w-0 flex-1 text-table" role="status">
            {removing ? (
              t('edit.secret_removing')
            ) : (
              <>
                <span aria-hidden="true" className="mr-2 font-mono tracking-wider">
                  ••••••••
                </span>
                {since ? t('edit.secret_since', { date: since }) : t('edit.secret_set')}
              </>
            )}
          </span>
          {removing ? (
            <Button size="sm" onClick={() => control.removeSecret(name, false)}>
              {t('edit.secret_keep')}
            </Button>
          ) : control.fixed(name) ? null : (
            <>
              <Button
                size="sm"
                aria-label={t('edit.secret_replace_of', { field: label })}
                onClick={() => setReplacing(true)}
              >
                {t('edit.secret_replace')}
              </Button>
              {removable && !field.reqd ? (
                <Button
                  size="sm"
                  variant="ghost"
                  aria-label={t('edit.secret_remove_of', { field: label })}
                  onClick={() => control.removeSecret(name, true)}
                >
                  {t('edit.secret_remove')}
                </Button>
              ) : null}
            </>
          )}
        </div>
        {hint ? <p className="text-meta text-muted">{hint}</p> : null}
      </div>
    )
  }
  return (
    <Field
      label={label}
      hint={hint}
      error={control.errors[name]}
      required={field.reqd ?? false}
      aside={
        set ? (
          <button
            type="button"
            className="link"
            onClick={() => {
              setReplacing(false)
              control.removeSecret(name, false)
            }}
          >
            {t('edit.secret_keep')}
          </button>
        ) : undefined
      }
    >
      <PasswordInput
        name={name}
        value={typed}
        // The user has just opened this input.
        autoFocus={replacing}
        autoComplete="new-password"
        placeholder={options.placeholder ?? (set ? t('edit.secret_new') : undefined)}
        onBlur={() => control.blur(name)}
        onChange={(event) => control.set(name, event.target.value)}
      />
    </Field>
  )
}
