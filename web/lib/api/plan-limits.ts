import type { Subscription } from '../session/session.tsx'

/** Whether usage is at or above the plan's limit; 0 and -1 mean no limit (docs/contracts/screens.md, section 5). */
export function hasReachedLimit(subscription: Subscription | null, resource: 'site' | 'server'): boolean {
  if (!subscription) return false
  const limit = subscription.limits[resource]
  return limit > 0 && subscription.usage[resource] >= limit
}

/** Whether the limit was granted by the platform admin, so that no other plan changes it. */
export function isGranted({ overrides }: Subscription, resource: 'site' | 'server'): boolean {
  return typeof overrides?.[resource] === 'number'
}

/** Whether to warn about usage: from 80 % of a limit up to the limit itself (docs/contracts/screens.md). */
export function nearLimit(used: number, limit: number): boolean {
  return limit > 0 && used >= limit * 0.8 && used <= limit
}
