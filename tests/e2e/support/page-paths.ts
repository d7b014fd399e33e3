import { ada } from './harness-test.ts'

/** Paths of the pages that the owner, who is also the platform admin, can open; `site`: path of a site. */
export const pagePaths = (site: string): string[] => [
  '/web',
  '/web/site',
  '/web/site/create',
  site,
  `${site}#activities`,
  '/web/server',
  '/web/user',
  `/web/user/${encodeURIComponent(ada.email)}`,
  `/web/user/${encodeURIComponent(ada.email)}#settings`,
  '/web/job',
  ...['overview', 'slack', 'github', 'cloud_providers', 'backup_providers', 'auth', 'ssh', 'activities'].map(
    (tab) => `/web/organization#${tab}`,
  ),
  ...['profile', 'purchases', 'invoices', 'payment-methods', 'plans', 'activities'].map((tab) => `/web/billing#${tab}`),
  ...['organizations', 'users', 'plans', 'outbox', 'jobs', 'health'].map((tab) => `/web/platform#${tab}`),
  '/web/organization/create',
  '/web/terms',
  '/web/no/such/page',
]

/** Paths of the pages for signed-out visitors. */
export const publicPaths = [
  '/web/login',
  '/web/signup',
  '/web/forgot-password',
  '/web/reset-password',
  '/web/reset-password?key=none',
  '/web/verify-email?token=none',
  '/web/terms',
  '/web/invitation?token=none',
]
