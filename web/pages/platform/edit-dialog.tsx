import { useId, type ReactNode } from 'react'
import { DocForm, FormFailure } from '#web/documents/form/form.tsx'
import type { useForm } from '#web/documents/form/use-form.ts'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/overlay/dialog.tsx'
import { t } from './messages.ts'

/** Dialog that edits a platform document: its form, and Save once something has changed. */
export function EditDialog({
  control,
  title,
  hint,
  save,
  onClose,
  children,
}: {
  control: ReturnType<typeof useForm>
  title: string
  hint: string
  /** Label of the button. */
  save: string
  onClose: () => void
  children: ReactNode
}) {
  const id = useId()
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title={title}
      description={hint}
      footer={
        <>
          <Button onClick={onClose}>{t('plans.cancel')}</Button>
          <Button type="submit" form={id} variant="primary" busy={control.busy} disabled={!control.dirty}>
            {save}
          </Button>
        </>
      }
    >
      <DocForm control={control} id={id} className="grid gap-4">
        {children}
        <FormFailure control={control} />
      </DocForm>
    </Dialog>
  )
}
