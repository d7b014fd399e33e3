import type { Subscription } from '#web/lib/session/session.tsx'

/** What the one line under the top bar can say, most urgent first (docs/contracts/screens.md). */
export type Banner =
  | { kind: 'offline'; since: number }
  | { kind: 'cancelled'; date: string }
  | { kind: 'over_limit'; resource: 'site' | 'server'; used: number; limit: number; plan: string }
  | { kind: 'update' }

/** What decides it. */
export interface BannerFacts {
  /** Since when nothing reaches the server (ms since epoch); null while something does. */
  offlineSince: number | null
  subscription: Subscription | null
  /** The server has a newer app than the one that runs here. */
  outdated: boolean
}

/** A cancelled plan that still runs; free ones have no end (docs/contracts/screens.md, section 2, shell). */
export function endOfPlan(subscription: Subscription | null): string | null {
  if (!subscription?.is_canceled || subscription.is_free_tier) return null
  return subscription.cancelation_date
}

/** The one that is shown; null when there is nothing to say. */
export function chooseBanner({ offlineSince, subscription, outdated }: BannerFacts): Banner | null {
  if (offlineSince !== null) return { kind: 'offline', since: offlineSince }
  const date = endOfPlan(subscription)
  if (date !== null) return { kind: 'cancelled', date }
  for (const resource of ['site', 'server'] as const) {
    const limit = subscription?.limits[resource] ?? 0
    const used = subscription?.usage[resource] ?? 0
    if (subscription && limit > 0 && used > limit)
      return { kind: 'over_limit', resource, used, limit, plan: subscription.plan_name }
  }
  return outdated ? { kind: 'update' } : null
}
