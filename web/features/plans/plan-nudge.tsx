import { Link } from '#web/lib/routing/router.tsx'
import { isGranted, nearLimit } from '#web/lib/api/plan-limits.ts'
import { useMedia } from '#web/lib/browser/use-media.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { cx } from '#web/lib/browser/cx.ts'
import { StatusMark } from '#web/ui/images/status-marks.tsx'
import { tPlan } from './plan-messages.ts'

/**
 * Hint on creation pages from 80 % of the plan's limit; above the limit, the shell shows a banner. Phones have it with the button
 * at the lower edge (`low`), because they need the space above for the list.
 */
export function PlanNudge({ resource, low = false }: { resource: 'site' | 'server'; low?: boolean }) {
  const { subscription, organization } = useSession()
  const isPhone = useMedia('(width < 48rem)')
  if (!subscription || low !== isPhone) return null
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
    <p className={cx('flex items-center gap-2 text-table text-warn', low ? 'basis-full!' : 'mb-4')}>
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
