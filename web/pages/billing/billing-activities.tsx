import { Activities } from '#web/documents/activity/activities.ts'

/** Actions of users, platform admins and the scheduler on plan, limits and billing profile. */
const billingActions = [
  'Subscription Organization.change_plan',
  'Subscription Organization.cancel_plan',
  'Subscription Organization.reactivate_plan',
  'Subscription Organization.undo_plan',
  'Subscription Organization.add_payment_method',
  'Payment Method.set_default',
  'Payment Method.remove',
  'subscription.scheduled_plan',
  'subscription.canceled',
  'platform.set_limits',
  'platform.end_granted_plan',
  'Billing Profile.update',
] as const

const filters = [['action', 'in', billingActions]] as const

/** Changes of plan and billing profile: who and when. */
export function BillingActivities() {
  return <Activities filters={filters} />
}
