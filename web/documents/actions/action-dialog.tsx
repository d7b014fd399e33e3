import { useState, type ReactNode } from 'react'
import type { Action, AnyDoc, Doctype } from '#shared/doctype.ts'
import { displayName } from '#shared/rules/display-name.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { AlertDialog } from '#web/ui/overlay/alert-dialog.tsx'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/overlay/dialog.tsx'
import { DocForm, FormFailure } from '../form/form.tsx'
import { actionPhrase, confirmText } from './action-phrase.ts'
import { usePasswordCheck } from './password-check.tsx'
import { FormField, type FormFieldOptions } from '../form/form-field.tsx'
import { t } from './messages.ts'
import { useActionRunner, useObstacle, type ActionResult, shownArgs } from './use-actions.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { translateText } from '#web/lib/i18n/catalog.ts'
import { formPayload } from '../form/form-state.ts'
import { useForm } from '../form/use-form.ts'

/** The document and action of a dialog. */
export interface PendingAction {
  readonly doc: AnyDoc
  readonly name: string
  readonly action: Action
  /** Arguments that are known: the dialog doesn't ask for them. */
  readonly args?: Readonly<Record<string, string | number | readonly string[]>>
  /** How its arguments are shown, where their descriptions do not suit. */
  readonly fields?: Readonly<Record<string, FormFieldOptions>>
  /** What it is called here; default: the action's label. */
  readonly label?: string
}

interface DialogProps {
  type: Doctype
  pending: PendingAction
  /** What the page knows of it, below the text of a confirmation. */
  details?: ReactNode
  onClose: () => void
  onDone?: ((result: ActionResult) => void) | undefined
}

/**
 * Asks for what an action needs before it runs: a confirmation, the typed name, or its arguments. Mounted while an action is
 * pending.
 */
export function ActionDialog(props: DialogProps) {
  const { pending } = props
  // Typing a name or ticking options is part of a confirmation.
  const { confirm, confirm_field, args = {} } = pending.action
  const asked = askedArgs(pending)
  const ticksOnly = confirm !== undefined && asked.every((name) => args[name]?.fieldtype === 'Check')
  const isForm = asked.length > 0 && confirm_field === undefined && !ticksOnly
  return isForm ? <ArgumentsDialog {...props} /> : <ConfirmDialog {...props} />
}

function askedArgs({ action, args = {} }: PendingAction): string[] {
  return shownArgs(action).filter((name) => !Object.hasOwn(args, name))
}

function ConfirmDialog({ type, pending, details, onClose, onDone }: DialogProps) {
  const { doc, name, action } = pending
  const { run } = useActionRunner(type)
  const { checked, dialog } = usePasswordCheck()
  const [failure, setFailure] = useState<string | null>(null)
  const form = { fields: action.args ?? {}, names: askedArgs(pending) }
  const { first } = action
  const off = useObstacle(type, first === undefined ? null : doc, first ?? '')
  // Sent by the button of the confirmation.
  const control = useForm(form, { initial: first === undefined ? {} : { [first]: 1 }, save: async () => undefined })
  const field = action.confirm_field
  const confirmName = field ? String(doc[field] ?? '') : null
  const title = displayName(type, doc) ?? ''
  // Where the button chose already, only its own words say what for.
  const chosen = Object.keys(pending.args ?? {}).length > 0 ? pending.label : undefined
  return (
    <AlertDialog
      open
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title={
        chosen === undefined
          ? t('action.confirm_title', { phrase: actionPhrase(action, title) })
          : `${chosen} · ${title}`
      }
      confirmLabel={chosen ?? translateText(action.label)}
      confirmName={confirmName}
      danger={action.danger ?? false}
      error={failure}
      onConfirm={async (typed) => {
        setFailure(null)
        try {
          const values = first !== undefined && off !== null ? { ...control.values, [first]: 0 } : control.values
          const args = { ...pending.args, ...formPayload(form, values), ...(field && { confirm_name: typed }) }
          const result = await checked(() => run(doc, name, args))
          if (!result) return
          onClose()
          onDone?.(result)
        } catch (error) {
          setFailure(fullMessage(toApiError(error)))
        }
      }}
    >
      {confirmText(action)}
      {details}
      {form.names.length > 0 && (
        <div className="mt-3 grid gap-3 text-fg">
          {form.names.map((key) => (
            <FormField
              key={key}
              control={control}
              name={key}
              {...(key === first && { off })}
              {...pending.fields?.[key]}
            />
          ))}
        </div>
      )}
      {dialog}
    </AlertDialog>
  )
}

/** An argument with the name of a document field starts with that field's value, unless it can't be chosen here. */
function startOf(value: unknown, { choices }: FormFieldOptions = {}): (string | number)[] {
  if (typeof value !== 'string' && typeof value !== 'number') return []
  return choices === undefined || choices.some((choice) => choice.value === String(value)) ? [value] : []
}

function ArgumentsDialog({ type, pending, onClose, onDone }: DialogProps) {
  const { doc, name, action } = pending
  const { run } = useActionRunner(type)
  const { checked, dialog } = usePasswordCheck()
  const fields = action.args ?? {}
  const names = askedArgs(pending)
  const label = pending.label ?? translateText(action.label)
  const control = useForm(
    { fields, names },
    {
      initial: Object.fromEntries(
        names.flatMap((key) => startOf(doc[key], pending.fields?.[key]).map((now) => [key, now])),
      ),
      save: async (payload) => {
        const result = await checked(() => run(doc, name, { ...pending.args, ...payload }))
        if (!result) return
        onClose()
        onDone?.(result)
      },
    },
  )
  const formId = `action-${name}`
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open && !control.busy) onClose()
      }}
      title={`${label} · ${displayName(type, doc) ?? ''}`}
      description={confirmText(action)}
      footer={
        <>
          <Button onClick={onClose}>{t('action.close')}</Button>
          <Button type="submit" form={formId} variant={action.danger ? 'danger' : 'primary'} busy={control.busy}>
            {label}
          </Button>
        </>
      }
    >
      <DocForm id={formId} control={control} className="grid gap-4">
        {names.map((key) => (
          <FormField key={key} control={control} name={key} {...pending.fields?.[key]} />
        ))}
        <FormFailure control={control} />
      </DocForm>
      {dialog}
    </Dialog>
  )
}
