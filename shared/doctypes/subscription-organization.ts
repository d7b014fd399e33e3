import { doctype, type Doc } from '../doctype.ts'
import { check, data, datetime, float, int, json, link, secret, select } from '../fields.ts'
import { planNames } from '../rules/plans.ts'

const kept = { read_only: true, server_owned: true } as const
/** What the payment provider said: of no use to clients, who ask `get_subscription_status`. */
const mirrored = { ...kept, hidden: true } as const
const mirroredText = { ...mirrored, refuses_card_numbers: true } as const

/** Why a payment is open: the card was declined, or its holder has to confirm it. */
export const paymentStates = ['failed', 'authentication_needed'] as const

/** When a plan change takes effect: immediately, or at the end of the current period. */
export const changeTimes = ['now', 'period_end'] as const

/**
 * Pending changes of an organization's plan; the plan itself is the organization's field `plan`. One row per organization,
 * with the same name. The row serves as the lock for plan changes.
 */
export const SubscriptionDoctype = doctype('Subscription Organization', {
  module: 'core',
  tenant: { kind: 'link', field: 'organization' },
  area: 'organization',
  naming: 'field:organization',
  title_field: 'organization',
  plural: 'Subscriptions',
  with_organization: true,
  fields: {
    organization: link('Organization', { reqd: true, ...kept }),
    /** Billing periods are months counted from this time. */
    period_anchor: datetime({ ...kept }),
    /** Plan that takes effect on `scheduled_date`. */
    scheduled_plan: select(planNames, { ...kept }),
    scheduled_date: datetime({ ...kept }),
    /** When a canceled plan becomes Free. Never set together with a scheduled plan. */
    cancelation_date: datetime({ ...kept }),
    /** A platform admin ends what they gave: only they, or a payment, take `cancelation_date` back. */
    is_grant_ending: check({ ...mirrored }),
    /** User who requested the pending change. */
    requested_by: link('User', { ...kept }),
    /** Mark of the customer at the provider, stored before it is made and found there afterward. */
    customer_mark: data({ ...mirroredText }),
    /** Id of the customer at the provider. */
    customer_id: data({ ...mirroredText }),
    /** The provider has not heard yet what invoices are to say about who pays. */
    payer_due: check({ ...mirrored }),
    /** When it refused that; the next try waits. */
    payer_refused: datetime({ ...mirrored }),
    /** Id of the payer's tax number there. */
    payer_tax_id: data({ ...mirroredText }),
    /** Id of what is paid for at the provider; unset while nobody pays, also for a plan that a platform admin gave. */
    subscription_id: data({ ...mirroredText }),
    /** What it costs a month, in units of the currency: an older price goes on for who pays it. */
    price: float({ ...mirrored }),
    price_currency: data({ ...mirroredText, length: 3 }),
    /** When the provider bills next. */
    billed_until: datetime({ ...mirrored }),
    payment_state: select(paymentStates, { ...mirrored }),
    /** In units of the currency. */
    payment_amount: float({ ...mirrored }),
    payment_currency: data({ ...mirroredText, length: 3 }),
    /** Lets the owner confirm the open payment in the browser. */
    payment_secret: secret({ ...mirrored }),
    /** Since when a renewal is unpaid; the plan ends when its grace is over. */
    unpaid_since: datetime({ ...mirrored }),
    /** How many mails about it were sent. */
    reminders: int({ ...mirrored, default: 0 }),
    /** Which reading of the provider is stored: an older one never replaces it. */
    reading: int({ ...mirrored, default: 0 }),
    /** Change that is being made at the provider: another one waits until it ends, or until it is given up. */
    change: data({ ...mirroredText }),
    change_until: datetime({ ...mirrored }),
  },
  indexes: [
    { fields: ['scheduled_date'], where: 'scheduled_date is not null' },
    { fields: ['cancelation_date'], where: 'cancelation_date is not null' },
    { fields: ['payer_due'], where: 'payer_due = 1' },
    { fields: ['customer_id'], unique: true, where: 'customer_id is not null' },
  ],
  permissions: {
    'Platform Admin': { read: true },
    Owner: { read: true },
    'Organization Admin': { read: true },
    'Organization Manager': { read: true },
    'Organization User': { read: true },
  },
  actions: {
    change_plan: {
      label: 'Change plan',
      activity: 'changed the plan',
      allow: { Owner: true, 'Platform Admin': true },
      tokens: false,
      hidden: true,
      args: {
        plan: select(planNames, { reqd: true }),
        when: select(changeTimes, { default: 'now' }),
        /** The platform admin gives it, even to an organization of their own: nothing is charged. */
        grant: check(),
      },
      returns: 'PlanChange',
    },
    cancel_plan: {
      label: 'Cancel plan',
      activity: 'canceled the plan',
      allow: { Owner: true },
      tokens: false,
      hidden: true,
      danger: true,
      confirm: 'The plan stays until the end of the period; then the organization is on Free.',
      returns: 'PlanChange',
    },
    reactivate_plan: {
      label: 'Reactivate plan',
      activity: 'reactivated the plan',
      allow: { Owner: true },
      tokens: false,
      hidden: true,
      returns: 'PlanChange',
    },
    undo_plan: {
      label: 'Undo scheduled change',
      activity: 'took back the scheduled plan',
      allow: { Owner: true },
      tokens: false,
      hidden: true,
      returns: 'PlanChange',
    },
    preview_plan: {
      label: 'Preview plan',
      reads: true,
      keeps: true,
      allow: { Owner: true },
      tokens: false,
      hidden: true,
      args: {
        plan: select(planNames, { reqd: true }),
        when: select(changeTimes, { default: 'now' }),
      },
      returns: 'PlanPreview',
    },
    refresh: {
      label: 'Read from the payment provider',
      reads: true,
      keeps: true,
      allow: { Owner: true },
      tokens: false,
      hidden: true,
      returns: 'Refreshed',
    },
    create_setup_intent: {
      label: 'Ask for a card',
      reads: true,
      keeps: true,
      allow: { Owner: true },
      tokens: false,
      hidden: true,
      returns: 'SetupIntent',
    },
    add_payment_method: {
      label: 'Add payment method',
      activity: 'added a card',
      allow: { Owner: true },
      tokens: false,
      hidden: true,
      args: {
        setup_intent: json<Record<string, unknown>>({
          reqd: true,
          refuses_card_numbers: true,
          label: 'Setup intent',
          description: 'As the provider answered it; only its `id` is read.',
        }),
      },
      returns: 'PaymentMethodAdded',
    },
  },
})

/** The subscription row of an organization. */
export type Subscription = Doc<typeof SubscriptionDoctype>
