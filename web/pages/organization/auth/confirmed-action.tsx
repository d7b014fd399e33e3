import { useState } from 'react'
import { usePasswordCheck } from '#web/documents/actions/password-check.tsx'
import { useAttempt } from '#web/documents/actions/use-attempt.ts'
import { runAction } from '#web/lib/api/api.ts'
import { refetch } from '#web/lib/api/data-client.ts'
import { docKey } from '#web/lib/api/data-keys.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { Button } from '#web/ui/button.tsx'
import { AlertDialog } from '#web/ui/overlay/alert-dialog.tsx'

/** A button for an action of the organization that is asked about first. */
export function ConfirmedAction({
  organization,
  action,
  args = {},
  label,
  name,
  title,
  text,
  confirm,
  done,
  danger = false,
  onDone,
}: {
  organization: string
  action: string
  args?: Record<string, unknown>
  label: string
  /** For screen readers, where the label alone is not clear. */
  name?: string
  title: string
  text: string
  confirm: string
  done: string
  danger?: boolean
  onDone?: () => Promise<unknown>
}) {
  const [asking, setAsking] = useState(false)
  const { failure, attempt, clearFailure } = useAttempt()
  const { checked, dialog } = usePasswordCheck()
  const close = () => {
    setAsking(false)
    clearFailure()
  }
  const run = () =>
    attempt(async () => {
      const result = await checked(async () => {
        await runAction('Organization', organization, action, args)
        return true
      })
      if (result === null) return
      close()
      showToast({ title: done, variant: 'success' })
      await (onDone?.() ?? refetch(docKey('Organization', organization)))
    })
  return (
    <>
      <Button {...(name === undefined ? {} : { 'aria-label': name })} onClick={() => setAsking(true)}>
        {label}
      </Button>
      {asking ? (
        <AlertDialog
          open
          danger={danger}
          onOpenChange={(open) => {
            if (!open) close()
          }}
          title={title}
          confirmLabel={confirm}
          error={failure}
          onConfirm={run}
        >
          {text}
          {dialog}
        </AlertDialog>
      ) : null}
    </>
  )
}
