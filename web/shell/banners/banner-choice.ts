import { isGranted } from '#web/lib/api/plan-limits.ts'
import type { Subscription } from '#web/lib/session/session.tsx'

/** Banners below the top bar, most urgent first (docs/contracts/screens.md). `plan` is null if the limit was granted. */
export type Banner =
  | { kind: 'offline'; since: number }
  | {
      kind: 'payment'
      state: NonNullable<Subscription['payment']>['state']
      amount: number
      currency: string
      date: string | null
    }
  | { kind: 'canceled'; date: string }
  | { kind: 'over_limit'; resource: 'site' | 'server'; used: number; limit: number; plan: string | null }
  | { kind: 'update' }

/** State that decides which banner is shown. */
export interface BannerState {
  /** When the server became unreachable (ms since epoch); null while it is reachable. */
  offlineSince: number | null
  subscription: Subscription | null
  /** The server has a newer build of the app. */
  outdated: boolean
}

/** End of a canceled plan that is still active; free plans have none (docs/contracts/screens.md, section 2, shell). */
export function endOfPlan(subscription: Subscription | null): string | null {
  if (!subscription?.is_canceled || subscription.is_free_tier) return null
  return subscription.cancelation_date
}

/** The open payment as a banner; null if there is none. */
function paymentBanner(payment: Subscription['payment']): Banner | null {
  if (!payment) return null
  const { state, amount, currency, grace_until: date } = payment
  return { kind: 'payment', state, amount, currency, date }
}

/** The banner to show; null for none. */
export function chooseBanner({ offlineSince, subscription, outdated }: BannerState): Banner | null {
  if (offlineSince !== null) return { kind: 'offline', since: offlineSince }
  const payment = paymentBanner(subscription?.payment)
  if (payment !== null) return payment
  const date = endOfPlan(subscription)
  if (date !== null) return { kind: 'canceled', date }
  for (const resource of ['site', 'server'] as const) {
    const limit = subscription?.limits[resource] ?? 0
    const used = subscription?.usage[resource] ?? 0
    if (subscription && limit > 0 && used > limit)
      return {
        kind: 'over_limit',
        resource,
        used,
        limit,
        plan: isGranted(subscription, resource) ? null : subscription.plan_name,
      }
  }
  return outdated ? { kind: 'update' } : null
}
