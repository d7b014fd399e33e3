import { doctype, type Doc } from '../doctype.ts'
import { datetime, link, select } from '../fields.ts'
import { planNames } from '../rules/plans.ts'

const kept = { read_only: true, server_owned: true } as const

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
    /** User who requested the pending change. */
    requested_by: link('User', { ...kept }),
  },
  indexes: [
    { fields: ['scheduled_date'], where: 'scheduled_date is not null' },
    { fields: ['cancelation_date'], where: 'cancelation_date is not null' },
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
  },
})

/** The subscription row of an organization. */
export type Subscription = Doc<typeof SubscriptionDoctype>
