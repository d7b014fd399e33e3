import { useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react'
import { fetched } from '#web/lib/code.ts'
import { addLeaveGuard, leaveQuestion, type LeaveGuard as Guard } from '#web/lib/leave-guards.ts'
import { useNavigator } from '#web/lib/router.tsx'
import { t } from './messages.ts'

const AlertDialog = fetched(() => import('#web/ui/alert-dialog-panel.tsx').then((module) => module.AlertDialogPanel))

/**
 * Asks before the person leaves the page or its tab while `when` holds: by a link, a key, back, or closing the tab.
 * `onLeave` is called when they left all the same.
 */
export function LeaveGuard({ when, onLeave }: { when: boolean; onLeave: () => void }) {
  const navigator = useNavigator()
  const left = useEffectEvent(onLeave)
  const [guard, setGuard] = useState<Guard | null>(null)
  useEffect(() => {
    if (!when) return
    const mine: Guard = { dropped: () => left() }
    const remove = addLeaveGuard(mine, navigator)
    setGuard(mine)
    return () => {
      remove()
      setGuard(null)
    }
  }, [when, navigator])
  const road = useSyncExternalStore(leaveQuestion.subscribe, leaveQuestion.current)
  const asked = guard && road && leaveQuestion.askedBy(guard) ? road : null
  const [ready, setReady] = useState(false)
  useEffect(() => {
    if (!asked) return
    AlertDialog.load().then(
      () => setReady(true),
      // Without network the browser's own question has to do: nobody is kept here, and nothing is dropped unasked.
      () => (confirm(t('edit.leave_text')) ? asked.leave() : asked.stay()),
    )
  }, [asked])
  if (!asked || !ready) return null
  return (
    <AlertDialog
      open
      onOpenChange={(open) => {
        if (!open) asked.stay()
      }}
      title={t('edit.leave_title')}
      confirmLabel={t('edit.leave')}
      cancelLabel={t('edit.stay')}
      onConfirm={() => asked.leave()}
    >
      {t('edit.leave_text')}
    </AlertDialog>
  )
}
