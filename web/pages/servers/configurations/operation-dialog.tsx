import type { ReactNode } from 'react'
import type { Action } from '#shared/doctype.ts'
import { serverOperations } from '#shared/doctypes/server-operations.ts'
import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import { confirmText } from '#web/documents/actions/action-phrase.ts'
import { shownArgs, useActionRunner } from '#web/documents/actions/use-actions.ts'
import type { FormDescription, FormValues } from '#web/documents/form/form-state.ts'
import { DocForm, FormFailure } from '#web/documents/form/form.tsx'
import { useForm, type FormControl } from '#web/documents/form/use-form.ts'
import { translateText } from '#web/lib/i18n/catalog.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/overlay/dialog.tsx'
import { t } from './messages.ts'

/** Asks for the arguments of an action of a server that need more than a line each, then runs it. */
export function OperationDialog({
  server,
  name,
  form,
  initial = {},
  toArgs = (payload) => payload,
  wide = false,
  submit,
  onDone,
  onClose,
  children,
}: {
  server: Server
  name: keyof typeof serverOperations
  /** Default: the arguments of the action. */
  form?: FormDescription
  initial?: FormValues
  toArgs?: (payload: Record<string, string | number>) => Record<string, unknown>
  wide?: boolean
  /** Label of the button; default: that of the action. */
  submit?: string
  onDone?: () => void
  onClose: () => void
  children: (control: FormControl) => ReactNode
}) {
  const { run } = useActionRunner(ServerDoctype)
  const action: Action = serverOperations[name]
  const label = translateText(action.label)
  const control = useForm(form ?? { fields: action.args ?? {}, names: shownArgs(action) }, {
    initial,
    save: async (payload) => {
      await run(server, name, toArgs(payload))
      onClose()
      onDone?.()
    },
  })
  const formId = `operation-${name}`
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open && !control.busy) onClose()
      }}
      title={`${label} · ${server.hostname}`}
      description={confirmText(action)}
      {...(wide && { width: 'md:w-[760px]' })}
      footer={
        <>
          <Button onClick={onClose}>{t('operation.cancel')}</Button>
          <Button type="submit" form={formId} variant="primary" busy={control.busy}>
            {submit ?? label}
          </Button>
        </>
      }
    >
      <DocForm id={formId} control={control} className="grid gap-4">
        {children(control)}
        <FormFailure control={control} />
      </DocForm>
    </Dialog>
  )
}
