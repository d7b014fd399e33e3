import { useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react'
import {
  addNavigationBlocker,
  leaveConfirmation,
  type NavigationBlocker as Guard,
} from '#web/lib/routing/navigation-blockers.ts'
import { AlertDialog } from '#web/ui/overlay/alert-dialog.tsx'
import { t } from './messages.ts'

/**
 * Asks for confirmation before the user leaves the page or tab while `when` is true: by link, shortcut, back, or closing the
 * tab. `onLeave` is called if they leave anyway.
 */
export function NavigationBlocker({ when, onLeave }: { when: boolean; onLeave: () => void }) {
  const left = useEffectEvent(onLeave)
  const [guard, setGuard] = useState<Guard | null>(null)
  useEffect(() => {
    if (!when) return
    const mine: Guard = { dropped: () => left() }
    const remove = addNavigationBlocker(mine)
    setGuard(mine)
    return () => {
      remove()
      setGuard(null)
    }
  }, [when])
  const blocked = useSyncExternalStore(leaveConfirmation.subscribe, leaveConfirmation.current)
  const blocker = guard && blocked && leaveConfirmation.isFor(guard) ? blocked : null
  if (!blocker) return null
  return (
    <AlertDialog
      open
      onOpenChange={(open) => {
        if (!open) blocker.stay()
      }}
      title={t('edit.leave_title')}
      confirmLabel={t('edit.leave')}
      cancelLabel={t('edit.stay')}
      onConfirm={() => blocker.leave()}
    >
      {t('edit.leave_text')}
    </AlertDialog>
  )
}
