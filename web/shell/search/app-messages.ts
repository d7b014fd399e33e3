import type { billingTabs, organizationTabs, platformTabs, SettingsCard } from '#web/lib/routing/page-tabs.ts'
import { createCatalog } from '#web/lib/i18n/catalog.ts'

type OrganizationKey = `organization.${(typeof organizationTabs)[number]}`
type BillingKey = `billing.${(typeof billingTabs)[number]}`
type PlatformKey = `platform.${(typeof platformTabs)[number]}`
type CardKey = `card.${SettingsCard}`

/** Names of tabs and cards; a missing one is a type error. */
const places: Record<OrganizationKey | BillingKey | PlatformKey | CardKey, string> = {
  'organization.overview': 'Organization settings: Overview',
  'organization.slack': 'Organization settings: Slack',
  'organization.github': 'Organization settings: GitHub',
  'organization.cloud_providers': 'Organization settings: Cloud providers',
  'organization.backup_providers': 'Organization settings: Backup providers',
  'organization.ssh': 'Organization settings: SSH',
  'organization.activities': 'Organization settings: Activity',
  'billing.profile': 'Billing: Profile',
  'billing.purchases': 'Billing: Purchases',
  'billing.invoices': 'Billing: Invoices',
  'billing.payment-methods': 'Billing: Payment methods',
  'billing.plans': 'Change plan',
  'billing.activities': 'Billing: Activity',
  'platform.organizations': 'Platform: Organizations',
  'platform.users': 'Platform: Users',
  'platform.plans': 'Platform: Plans',
  'platform.outbox': 'Platform: Outbox',
  'platform.jobs': 'Platform: Jobs',
  'platform.health': 'Platform: Health',
  'card.password': 'Change password',
  'card.two_factor': 'Two-factor authentication (2FA)',
  'card.sessions': 'Sessions and devices',
  'card.ssh': 'SSH keys',
  'card.token': 'Create API token',
}

/** Texts of the commands that concern no document. The keywords, in lower case, find a command too. */
export const tApp = createCatalog({
  ...places,
  invite: 'Invite people',
  invite_words: 'member user add share team',
  theme_words: 'dark light mode appearance',
  logout_words: 'sign out logout leave',
  settings: 'Account settings',
  settings_words: 'preferences language time zone',
  token_words: 'new access key rest curl',
  factor_words: 'two factor mfa otp authenticator security login',
  sessions_words: 'log out everywhere',
  password_words: 'new reset security',
  plan_words: 'upgrade downgrade subscription billing plans price',
  settings_tab_words: 'connect connection',
  help_words: 'shortcuts keys keyboard tour support',
  api: 'API reference',
  api_words: 'docs documentation curl rest',
  switch: 'Switch to {title}',
  switch_words: 'organization change',
  tour: 'Start tour: {title}',
  sidebar_words: 'menu hide show',
})
