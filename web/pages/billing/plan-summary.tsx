import type { SubscriptionStatus } from '#shared/responses/billing.ts'
import { freePlan } from '#shared/rules/plans.ts'
import type { LimitedResource } from '#shared/rules/limited-resources.ts'
import { cx } from '#web/lib/browser/cx.ts'
import { formatDay } from '#web/lib/i18n/format-day.ts'
import { formatNumber } from '#web/lib/i18n/format.ts'
import { Card } from '#web/ui/card.tsx'
import { Meter } from '#web/ui/meter.tsx'
import { StatusPill } from '#web/ui/status.tsx'
import { providerLabel } from './cards/provider-label.ts'
import { cardName, usePaymentMethods } from './cards/use-payment-methods.ts'
import { effectOf, resources, resourceUsage } from './plan-change.ts'
import { comingPlan } from './subscription.ts'
import { t } from './messages.ts'
import { formatExcess, formatPrice } from './format-plan.ts'

/** The plan, its pending change, and its usage. */
export function PlanSummary({ status }: { status: SubscriptionStatus }) {
  const coming = comingPlan(status)
  const above = coming ? formatExcess(effectOf(status, coming.plan).above) : ''
  return (
    <Card
      aria-label={t('plans.summary')}
      className="grid divide-hairline max-md:divide-y md:grid-cols-[1.3fr_1fr_1fr] md:divide-x"
    >
      <div className="min-w-0 p-4">
        <p className="text-lead font-semibold tracking-[-.012em]">
          <PlanPrice status={status} />
        </p>
        <p className="mt-1 mb-1.5">
          <PlanState status={status} />
        </p>
        <p className="text-table text-muted">
          {coming ? (
            above === '' ? (
              t('plans.then_fits', { plan: coming.plan })
            ) : (
              t('plans.then', { plan: coming.plan, what: above })
            )
          ) : (
            <Renewal status={status} />
          )}
        </p>
      </div>
      {resources.map((resource) => (
        <Usage key={resource} status={status} resource={resource} />
      ))}
    </Card>
  )
}

/** The plan with what is paid for it. One that was given costs nothing, whatever its price. */
function PlanPrice({ status }: { status: SubscriptionStatus }) {
  const { plan_name: plan, billed_price: billed } = status
  const isGiven = status.billed_until === null && !status.payment?.grace_until && status.plan_cost !== 0
  if (status.payment_provider === null || isGiven) return plan
  const price = billed ? { plan_cost: billed.amount, currency: billed.currency } : status
  if (price.plan_cost === null) return t('plans.on_request_long', { plan })
  return t('plans.per_month', { plan, price: formatPrice(price) })
}

/** Who bills the plan next, and from which card. */
function Renewal({ status }: { status: SubscriptionStatus }) {
  const { payment, payment_provider: provider, billed_until: until } = status
  const card = usePaymentMethods(until !== null).data?.[0]
  if (payment && payment.grace_until !== null)
    return t('plans.unpaid', { plan: freePlan, date: formatDay(payment.grace_until) })
  if (provider === null || until === null) return t('plans.nothing_charged')
  const values = { date: formatDay(until), provider: providerLabel(provider) }
  return card ? t('plans.renews_from', { ...values, card: cardName(card) }) : t('plans.renews', values)
}

/** Free, Active, Canceled, about to change, or not paid. */
function PlanState({ status }: { status: SubscriptionStatus }) {
  const coming = comingPlan(status)
  if (status.payment)
    return status.payment.state === 'failed' ? (
      <StatusPill tone="bad" inset>
        {t('plans.payment_failed')}
      </StatusPill>
    ) : (
      <StatusPill tone="warn" inset>
        {t('plans.payment_unconfirmed')}
      </StatusPill>
    )
  if (coming && status.is_canceled)
    return (
      <StatusPill tone="warn" inset>
        {t(status.is_grant_ending ? 'plans.given' : 'plans.canceled', { date: formatDay(coming.date) })}
      </StatusPill>
    )
  if (coming)
    return (
      <StatusPill tone="info" inset>
        {t('plans.scheduled', { plan: coming.plan, date: formatDay(coming.date) })}
      </StatusPill>
    )
  return status.plan_name === freePlan ? (
    <StatusPill tone="off" inset>
      {t('plans.free')}
    </StatusPill>
  ) : (
    <StatusPill tone="ok">{t('plans.active')}</StatusPill>
  )
}

function usageText(status: SubscriptionStatus, resource: LimitedResource): string {
  const { state, n, next } = resourceUsage(status, resource)
  if (state === 'unlimited') return t('plans.no_limit')
  if (state === 'over') return t('plans.over', { n: formatNumber(n) })
  const more = next && next.limit > 0 ? { plan: next.plan, limit: formatNumber(next.limit) } : null
  if (state === 'reached') return more ? t('plans.reached_next', more) : t('plans.reached')
  const nearLimit = status.usage[resource] >= status.limits[resource] * 0.8
  return more && nearLimit
    ? t('plans.left_next', { ...more, n: formatNumber(n) })
    : t('plans.left', { n: formatNumber(n) })
}

/** Usage of one limit: number, bar, and what is left. */
function Usage({ status, resource }: { status: SubscriptionStatus; resource: LimitedResource }) {
  const { state, fraction } = resourceUsage(status, resource)
  const used = formatNumber(status.usage[resource])
  const tone = state === 'over' ? 'bad' : state === 'reached' || fraction >= 0.8 ? 'warn' : 'quiet'
  const label = t(`plans.${resource}`)
  return (
    <div className="min-w-0 p-4">
      <p className="flex items-baseline justify-between gap-2">
        <span className="font-medium">{label}</span>
        <span className="text-muted">
          {state === 'unlimited'
            ? t('plans.used', { used })
            : t('plans.used_of', { used, limit: formatNumber(status.limits[resource]) })}
        </span>
      </p>
      <div className="mt-2.5 mb-2 h-1">
        {state === 'unlimited' ? null : <Meter fraction={fraction} label={label} tone={tone} />}
      </div>
      <p
        className={cx(
          'text-table',
          { quiet: 'text-muted', warn: 'font-medium text-warn', bad: 'font-medium text-bad' }[tone],
        )}
      >
        {usageText(status, resource)}
      </p>
      {status.overrides[resource] === null ? null : <p className="mt-0.5 text-meta text-muted">{t('plans.granted')}</p>}
    </div>
  )
}
