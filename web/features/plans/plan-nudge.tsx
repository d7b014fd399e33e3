import { Link } from '#web/lib/routing/router.tsx'
import { isGranted, nearLimit } from '#web/lib/api/plan-limits.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { StatusMark } from '#web/ui/images/status-marks.tsx'
import { tPlan } from './plan-messages.ts'

/** Hint on creation pages from 80 % of the plan's limit; above the limit, the shell shows a banner. */
export function PlanNudge({ resource }: { resource: 'site' | 'server' }) {
  const { subscription, organization } = useSession()
  if (!subscription) return null
  const limit = subscription.limits[resource]
  const used = subscription.usage[resource]
  if (!nearLimit(used, limit)) return null
  const values = { used, limit, count: limit, plan: subscription.plan_name }
  const granted = isGranted(subscription, resource)
  const text = granted
    ? tPlan(`used_${resource}`, values)
    : used === limit
      ? tPlan(resource === 'site' ? 'reached_site' : 'reached_server', values)
      : tPlan(resource === 'site' ? 'near_site' : 'near_server', values)
  return (
    <p className="mb-4 flex items-center gap-2 text-table text-warn">
      <StatusMark tone="warn" size={14} className="shrink-0" />
      <span>
        {text}{' '}
        {organization?.owner && !granted && (
          <Link to="/billing#plans" className="link">
            {tPlan('plans')}
          </Link>
        )}
      </span>
    </p>
  )
}
