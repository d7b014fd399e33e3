import { useAttempt } from '#web/documents/actions/use-attempt.ts'
import { deleteDoc } from '#web/lib/api/api.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { AlertDialog } from '#web/ui/overlay/alert-dialog.tsx'
import { tConnection } from './connection-messages.ts'
import { refetchConnections, type ListedConnection } from './connections.ts'

/** Confirms removing a connection. The server refuses it while something uses it. */
export function RemoveConnection({
  organization,
  connection: { name, label },
  onClose,
}: {
  organization: string
  connection: ListedConnection
  onClose: () => void
}) {
  const { failure, attempt } = useAttempt()
  return (
    <AlertDialog
      open
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title={tConnection('card.remove_title', { name: label })}
      confirmLabel={tConnection('card.remove')}
      error={failure}
      onConfirm={() =>
        attempt(async () => {
          await deleteDoc('Connection', name)
          await refetchConnections(organization)
          onClose()
          showToast({ title: tConnection('card.removed', { name: label }), variant: 'success' })
        })
      }
    >
      <p>{tConnection('card.remove_text')}</p>
    </AlertDialog>
  )
}
