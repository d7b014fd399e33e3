import type { Stripe } from 'stripe'
import { idOf } from './stripe-client.ts'

type Phase = Stripe.SubscriptionSchedule.Phase
type SentPhase = Stripe.SubscriptionScheduleUpdateParams.Phase

/**
 * The current phase of a schedule as it is sent back. An update replaces phases as a whole: what is left out is taken from the
 * subscription, for example the coupon that the operator put on it (https://docs.stripe.com/api/subscription_schedules/update).
 * What it adds to an invoice is billed already.
 */
export const presentPhase = (phase: Phase): SentPhase => ({
  ...termsOf(phase),
  ...given({ billing_cycle_anchor: phase.billing_cycle_anchor, trial_end: phase.trial_end }),
  // Stripe takes one of both.
  ...(phase.trial === true && phase.trial_end === null && { trial: true }),
  items: phase.items.map(itemOf),
  start_date: phase.start_date,
  end_date: phase.end_date,
  proration_behavior: phase.proration_behavior,
})

/** A month on the same terms, with another price of the plan, which is the first item. */
export const nextPhase = (phase: Phase, price: string): SentPhase => ({
  ...termsOf(phase),
  items: phase.items.map((item, at) => ({ ...itemOf(item), ...(at === 0 && { price }) })),
  duration: { interval: 'month', interval_count: 1 },
  proration_behavior: 'none',
})

/** What holds in a phase besides its items and its time. */
const termsOf = (phase: Phase): Omit<SentPhase, 'items'> =>
  given({
    application_fee_percent: phase.application_fee_percent,
    automatic_tax: phase.automatic_tax && {
      enabled: phase.automatic_tax.enabled,
      ...given({ liability: partyOf(phase.automatic_tax.liability) }),
    },
    billing_thresholds: phase.billing_thresholds && given(phase.billing_thresholds),
    collection_method: phase.collection_method,
    default_payment_method: idOf(phase.default_payment_method),
    default_tax_rates: idsOf(phase.default_tax_rates),
    description: phase.description,
    discounts: discountsOf(phase.discounts),
    invoice_settings: invoiceSettingsOf(phase.invoice_settings),
    metadata: phase.metadata,
    on_behalf_of: idOf(phase.on_behalf_of),
    transfer_data:
      phase.transfer_data &&
      given({
        amount_percent: phase.transfer_data.amount_percent,
        destination: idOf(phase.transfer_data.destination) ?? '',
      }),
  })

const itemOf = (item: Phase['items'][number]): SentPhase['items'][number] =>
  given({
    billing_thresholds: thresholdOf(item.billing_thresholds?.usage_gte),
    discounts: discountsOf(item.discounts),
    metadata: item.metadata,
    price: idOf(item.price),
    quantity: item.quantity,
    tax_rates: idsOf(item.tax_rates),
  })

const thresholdOf = (usage_gte: number | null | undefined) => (usage_gte == null ? null : { usage_gte })

/** A discount that is there goes on as it is; its coupon or code would begin another one. */
const discountsOf = (discounts: Phase['discounts']) =>
  discounts.map(({ coupon, discount, promotion_code }) => {
    const [present, code] = [idOf(discount), idOf(promotion_code)]
    if (present !== null) return { discount: present }
    return code === null ? given({ coupon: idOf(coupon) }) : { promotion_code: code }
  })

const invoiceSettingsOf = (settings: Phase['invoice_settings']) =>
  settings &&
  given({
    account_tax_ids: idsOf(settings.account_tax_ids),
    custom_fields: settings.custom_fields,
    days_until_due: settings.days_until_due,
    description: settings.description,
    footer: settings.footer,
    issuer: partyOf(settings.issuer),
  })

type Party = NonNullable<NonNullable<Phase['invoice_settings']>['issuer']>

const partyOf = (party: Party | null) => party && { type: party.type, ...given({ account: idOf(party.account) }) }

const idsOf = (all: readonly (string | { readonly id: string })[] | null | undefined) =>
  all?.flatMap((one) => idOf(one) ?? [])

type Given<T> = { [K in keyof T as null extends T[K] ? never : undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T]?: NonNullable<T[K]>
}

/** Only what there is: Stripe takes no null, and nothing of a list or an object without content. */
function given<T extends object>(values: T): Given<T> {
  const isGiven = (value: unknown) =>
    value !== null && value !== undefined && (typeof value !== 'object' || Object.keys(value).length > 0)
  return Object.fromEntries(Object.entries(values).filter(([, value]) => isGiven(value))) as Given<T>
}
