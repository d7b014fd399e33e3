import { useSession } from '#web/lib/session/session.tsx'
import { Button, ButtonLink } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/overlay/dialog.tsx'
import { isGranted } from '#web/lib/api/plan-limits.ts'
import type { Limited } from '#web/documents/actions/limit-notice.ts'
import { usePeople } from '#web/documents/people.ts'
import { tPlan } from './plan-messages.ts'

/**
 * Explains that the plan's limit is reached. Owners get a link to the plans, others learn whom to ask. A granted limit is the
 * platform admin's to raise: no plan does.
 */
export function PlanLimitDialog({
  resource,
  open,
  onOpenChange,
}: {
  resource: Limited
  open: boolean
  onOpenChange: (open: boolean) => void
}) {
  const { subscription, organization } = useSession()
  const nameOf = usePeople([subscription?.user])
  if (!subscription) return null
  const { plan_name: plan, user: owner } = subscription
  const mine = organization?.owner ?? false
  const granted = isGranted(subscription, resource)
  const { limits, usage } = subscription
  const close = (): void => onOpenChange(false)
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={tPlan(granted ? 'granted' : 'full')}
      description={tPlan(`${granted ? 'granted' : 'full'}_${resource}`, {
        plan,
        count: limits[resource],
        used: usage[resource],
        room: Math.max(1, usage[resource] - limits[resource] + 1),
      })}
      footer={
        <>
          <Button onClick={close}>{tPlan('close')}</Button>
          {mine && !granted && (
            <ButtonLink variant="primary" to="/billing#plans" onClick={close}>
              {tPlan('plans')}
            </ButtonLink>
          )}
        </>
      }
    >
      {granted ? (
        <p className="text-table">{tPlan('ask_admin')}</p>
      ) : mine ? null : (
        <p className="text-table">{owner ? tPlan('ask', { owner: nameOf(owner) }) : tPlan('ask_owner')}</p>
      )}
    </Dialog>
  )
}
