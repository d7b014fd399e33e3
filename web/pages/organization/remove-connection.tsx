import type { ConnectionName } from '#shared/doctypes/connections.ts'
import { useAttempt } from '#web/documents/actions/use-attempt.ts'
import { runAction } from '#web/lib/api/api.ts'
import { docKey, refetch } from '#web/lib/api/data-client.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { AlertDialog } from '#web/ui/overlay/alert-dialog.tsx'
import { tConnection } from './connection-messages.ts'

/** Confirms removing credentials: shows what keeps running without them, with counts. */
export function RemoveConnection({
  organization,
  name,
  servers,
  onClose,
}: {
  organization: string
  name: ConnectionName
  servers: number
  onClose: () => void
}) {
  const { failure, attempt } = useAttempt()
  const vendor = tConnection(`name.${name}`)
  return (
    <AlertDialog
      open
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title={tConnection('card.remove_title', { name: vendor })}
      confirmLabel={tConnection('card.remove')}
      error={failure}
      onConfirm={() =>
        attempt(async () => {
          await runAction('Organization', organization, 'clear_credentials', { credentials: name })
          await refetch(docKey('Organization', organization))
          onClose()
          showToast({ title: tConnection('card.removed', { name: vendor }), variant: 'success' })
        })
      }
    >
      <p>{tConnection('card.remove_text')}</p>
      {servers > 0 ? <p className="mt-2">{tConnection('card.remove_servers', { count: servers })}</p> : null}
    </AlertDialog>
  )
}
