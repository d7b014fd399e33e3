import { lazy, Suspense, useContext, useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react'
import { UNSAFE_NavigationContext as NavigationContext } from 'react-router'
import { addLeaveGuard, leaveQuestion, type LeaveGuard as Guard } from '#web/lib/leave-guards.ts'
import { t } from './messages.ts'

const AlertDialog = lazy(() => import('#web/ui/alert-dialog.tsx').then((module) => ({ default: module.AlertDialog })))

/**
 * Asks before the person leaves the page or its tab while `when` holds: by a link, a key, back, or closing the tab.
 * `onLeave` is called when they left all the same.
 */
export function LeaveGuard({ when, onLeave }: { when: boolean; onLeave: () => void }) {
  const { navigator } = useContext(NavigationContext)
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
  if (!guard || !road || !leaveQuestion.askedBy(guard)) return null
  return (
    <Suspense fallback={null}>
      <AlertDialog
        open
        onOpenChange={(open) => {
          if (!open) road.stay()
        }}
        title={t('edit.leave_title')}
        confirmLabel={t('edit.leave')}
        cancelLabel={t('edit.stay')}
        onConfirm={() => road.leave()}
      >
        {t('edit.leave_text')}
      </AlertDialog>
    </Suspense>
  )
}
