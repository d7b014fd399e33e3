import { planPreview, type OfferedPlan, type SubscriptionStatus } from '#shared/responses/billing.ts'
import type { ByResource } from '#shared/rules/plans.ts'
import type { ApiError } from '#web/lib/api/api-error.ts'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { formatDay } from '#web/lib/i18n/format-day.ts'
import { formatMoney } from '#web/lib/i18n/format.ts'
import { cardName, usePaymentMethods } from './cards/use-payment-methods.ts'
import { t } from './messages.ts'
import type { ChangeTime } from './use-plan-actions.ts'

/** A question about a change of plan, with its answer. */
export interface PreviewPart {
  readonly label: string
  readonly value: string
  readonly detail: string
}

/** What the change costs where plans are free to choose. */
export function freeParts(offered: OfferedPlan, when: ChangeTime, date: string): PreviewPart[] {
  return [
    {
      label: todayLabel(offered, when, date),
      value: t('preview.today'),
      detail: t('preview.today_detail'),
    },
    {
      label: t('preview.bill_q'),
      value: t('preview.bill'),
      detail: t('preview.bill_free'),
    },
  ]
}

const todayLabel = ({ name: plan }: OfferedPlan, when: ChangeTime, date: string) =>
  when === 'now' ? t('preview.today_q', { plan }) : t('preview.later_q', { plan, date })

/** What a change costs, as the payment provider calculates it. */
export interface PaidPreview {
  /** Null until it is calculated. */
  readonly parts: readonly PreviewPart[] | null
  /** How many are too many for the plan. */
  readonly lost: ByResource | null
  readonly error: ApiError | null
  readonly reload: () => Promise<void>
  /** The plan is paid for, and there is no card to charge. */
  readonly needsCard: boolean
}

/** The provider's preview of a change; null where plans are free to choose. */
export function usePaidPreview(
  status: SubscriptionStatus,
  offered: OfferedPlan | undefined,
  when: ChangeTime,
  date: string,
): PaidPreview | null {
  const isPaid = status.payment_provider !== null && offered !== undefined
  const preview = useMethod(
    isPaid ? 'easydash.api.billing.preview_plan' : null,
    { plan: offered?.name, when },
    { verb: 'POST', returns: planPreview, revalidateOnFocus: false },
  )
  const cards = usePaymentMethods(isPaid)
  if (!isPaid) return null
  const card = cards.data?.[0]
  const from = card ? t('preview.charged_to', { card: cardName(card) }) : ''
  // The amount of an earlier preview is not what would be charged now.
  const data = preview.isValidating ? undefined : preview.data
  return {
    error: preview.error,
    reload: () => preview.reload(),
    needsCard: cards.data?.length === 0 && offered.plan_cost !== 0,
    lost: data?.lost ?? null,
    parts: data
      ? [
          {
            label: todayLabel(offered, when, date),
            value:
              data.due_now > 0
                ? t('preview.due', { amount: formatMoney(data.due_now, data.currency) })
                : t('preview.today'),
            detail:
              data.credit > 0
                ? t('preview.credit', { amount: formatMoney(data.credit, data.currency) })
                : data.due_now > 0
                  ? from
                  : '',
          },
          {
            label: data.next_bill
              ? t('preview.bill_on', { date: formatDay(data.next_bill.date) })
              : t('preview.bill_q'),
            value: data.next_bill ? formatMoney(data.next_bill.amount, data.currency) : t('preview.bill'),
            detail: data.next_bill && data.next_bill.amount > 0 ? from : '',
          },
        ]
      : null,
  }
}
