import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { useActions } from '#web/documents/actions/use-actions.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { runAction } from '#web/lib/api/api.ts'
import { Button } from '#web/ui/button.tsx'
import { AlertDialog } from '#web/ui/overlay/alert-dialog.tsx'

/** Empties a log or the mailbox after a confirmation; nothing for those who don't have the action. */
export function ClearButton({
  site,
  action: name,
  args,
  label,
  title,
  text,
  onCleared,
}: {
  site: Site
  action: 'clear_log' | 'clear_mails'
  args?: Readonly<Record<string, unknown>>
  /** Of both buttons. */
  label: string
  /** Of the question. */
  title: string
  text: string
  /** After the question was closed. */
  onCleared: () => void | Promise<void>
}) {
  const [isAsking, setAsking] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const action = useActions(SiteDoctype, { ...site, doctype: 'Site' }).find((one) => one.name === name)
  if (!action) return null
  const clear = async (): Promise<void> => {
    try {
      await runAction('Site', site.name, name, args)
      setAsking(false)
      await onCleared()
    } catch (failure) {
      setError(toApiError(failure).message)
    }
  }
  return (
    <>
      <Button
        size="sm"
        disabled={!action.gate.enabled}
        title={action.gate.enabled ? undefined : action.gate.reason}
        onClick={() => {
          setError(null)
          setAsking(true)
        }}
      >
        <Trash2 size={14} strokeWidth={1.75} aria-hidden="true" />
        {label}
      </Button>
      <AlertDialog
        open={isAsking}
        onOpenChange={setAsking}
        title={title}
        confirmLabel={label}
        error={error}
        onConfirm={clear}
      >
        {text}
      </AlertDialog>
    </>
  )
}
