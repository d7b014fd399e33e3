/** Tabs of pages by the hash that opens each, in display order; the first is the default. The search opens them too. */

/** Tabs of the organization's settings. */
export const organizationTabs = [
  'overview',
  'slack',
  'github',
  'cloud_providers',
  'backup_providers',
  'auth',
  'ssh',
  'activities',
] as const

const billingTabs = ['profile', 'purchases', 'invoices', 'payment-methods', 'plans', 'activities'] as const

/** A tab of the billing page. */
export type BillingTab = (typeof billingTabs)[number]

/** Tabs of the billing page, where plans are enabled; those about payments only if plans are paid for. */
export function billingTabsOf(takesPayments: boolean): readonly [BillingTab, ...BillingTab[]] {
  return takesPayments ? billingTabs : ['profile', 'plans', 'activities']
}

/** Tabs of the platform page. */
export const platformTabs = ['organizations', 'users', 'plans', 'outbox', 'jobs', 'health'] as const

/** A card of the user's own settings that a URL can open: `/user/ANN?open=token#settings`. */
export type SettingsCard = 'password' | 'two_factor' | 'sessions' | 'ssh' | 'token' | 'mails'

/** URL parameter that names the card. */
export const cardParam = 'open'
