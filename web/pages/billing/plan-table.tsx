import type { OfferedPlan, SubscriptionStatus } from '#shared/responses/billing.ts'
import { isLimited } from '#shared/rules/plans.ts'
import type { LimitedResource } from '#shared/rules/limited-resources.ts'
import { cx } from '#web/lib/browser/cx.ts'
import { formatNumber } from '#web/lib/i18n/format.ts'
import { Tag } from '#web/ui/chip.tsx'
import { limitsOn, resources } from './plan-change.ts'
import { PlanButton, type PlanChoice } from './plan-button.tsx'
import { t } from './messages.ts'
import { formatPrice } from './format-plan.ts'

const cell = 'border-l border-hairline px-3.5 text-left align-middle'

/** The six plans side by side, on tablets and wider. */
export function PlanTable(choice: PlanChoice) {
  const { status } = choice
  const tint = (plan: OfferedPlan) => (plan.name === status.plan_name ? 'bg-brand-bg' : '')
  const hasFeatures = status.plans.some((plan) => plan.features.length > 0)
  return (
    <div className="overflow-x-auto rounded-card border border-border bg-surface shadow-xs">
      <table
        aria-label={t('plans.table')}
        className="w-full min-w-[940px] table-fixed border-separate border-spacing-0 text-table"
      >
        <thead>
          <tr>
            <th scope="col" className="w-[104px]">
              <span className="sr-only">{t('plans.plan')}</span>
            </th>
            {status.plans.map((plan) => (
              <th key={plan.name} scope="col" className={cx(cell, 'py-3.5 font-normal', tint(plan))}>
                <PlanName plan={plan} status={status} />
                <div className="mt-2.5">
                  <PlanButton plan={plan} choice={choice} />
                </div>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {resources.map((resource) => (
            <tr key={resource}>
              <th scope="row" className="h-10 border-t border-hairline px-4 text-left font-normal text-muted">
                {t(`plans.${resource}`)}
              </th>
              {status.plans.map((plan) => (
                <td key={plan.name} className={cx(cell, 'border-t', tint(plan))}>
                  <PlanLimit plan={plan} status={status} resource={resource} />
                </td>
              ))}
            </tr>
          ))}
          {hasFeatures ? (
            <tr>
              <th
                scope="row"
                className="border-t border-hairline px-4 py-2.5 text-left align-top font-normal text-muted"
              >
                {t('plans.includes')}
              </th>
              {status.plans.map((plan) => (
                <td key={plan.name} className={cx(cell, 'border-t py-2.5 align-top!', tint(plan))}>
                  <Features plan={plan} />
                </td>
              ))}
            </tr>
          ) : null}
        </tbody>
      </table>
    </div>
  )
}

/** Name of a plan, and its price where plans are paid for. */
export function PlanName({ plan, status }: { plan: OfferedPlan; status: SubscriptionStatus }) {
  return (
    <>
      <span className="flex h-5 items-center gap-1.5">
        <span className="text-body font-semibold">{plan.name}</span>
        {plan.name === status.plan_name ? (
          <Tag tone="brand">{t('plans.current')}</Tag>
        ) : plan.name === status.scheduled_plan ? (
          <Tag tone="info">{t('plans.coming')}</Tag>
        ) : null}
      </span>
      {status.payment_provider ? (
        <span className="mt-1 block h-7 whitespace-nowrap">
          <span className="text-h1 font-semibold tracking-[-.02em]">{formatPrice(plan)}</span>
          {plan.plan_cost === null ? null : <span className="text-meta text-muted"> {t('plans.month')}</span>}
        </span>
      ) : null}
    </>
  )
}

/** Limit of a plan in this organization, with the usage if that is higher, or the note that the limit was granted. */
export function PlanLimit({
  plan,
  status,
  resource,
}: {
  plan: OfferedPlan
  status: SubscriptionStatus
  resource: LimitedResource
}) {
  const limit = limitsOn(status, plan.name)[resource]
  const used = status.usage[resource]
  const note =
    isLimited(limit) && used > limit
      ? t('plans.you_use', { n: formatNumber(used) })
      : status.overrides[resource] === null
        ? null
        : t('plans.granted_short')
  return (
    <span className="flex flex-wrap items-baseline gap-x-1.5">
      <span className="font-medium">{isLimited(limit) ? formatNumber(limit) : t('plans.no_limit')}</span>
      {note === null ? null : <span className="text-meta text-muted">{note}</span>}
    </span>
  )
}

/** Advertised features of a plan. */
export function Features({ plan }: { plan: OfferedPlan }) {
  return (
    <ul className="grid gap-1">
      {plan.features.map((feature) => (
        <li key={feature} className="wrap-anywhere">
          {feature}
        </li>
      ))}
    </ul>
  )
}
