import { useSession } from '#web/lib/session/session.tsx'
import { Button, ButtonLink } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/overlay/dialog.tsx'
import type { Limited } from '#web/documents/actions/limit-notice.ts'
import { usePeople } from '#web/documents/people.ts'
import { tPlan } from './plan-messages.ts'

/** Explains that the plan's limit is reached. Owners get a link to the plans, others learn whom to ask. */
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
  const close = (): void => onOpenChange(false)
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={tPlan('full')}
      description={tPlan(resource === 'site' ? 'full_site' : 'full_server', {
        plan,
        limit: subscription.limits[resource],
        used: subscription.usage[resource],
      })}
      footer={
        <>
          <Button onClick={close}>{tPlan('close')}</Button>
          {mine && (
            <ButtonLink variant="primary" to="/billing#plans" onClick={close}>
              {tPlan('plans')}
            </ButtonLink>
          )}
        </>
      }
    >
      {!mine && <p className="text-table">{owner ? tPlan('ask', { owner: nameOf(owner) }) : tPlan('ask_owner')}</p>}
    </Dialog>
  )
}
