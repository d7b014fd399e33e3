import type { Page } from '@playwright/test'
import { ada, expect } from './harness-test.ts'

/** Paths of the pages that the owner, who is also the platform admin, can open; `site`: path of a site. */
export const pagePaths = (site: string): string[] => [
  '/web',
  '/web/site',
  '/web/site/create',
  '/web/site/backups',
  '/web/site/wp-cloud',
  site,
  ...[
    'configurations',
    'backupandrestore',
    'monitoring',
    'activities',
    'wordpress',
    'logs',
    'files',
    'database',
    'staging',
  ].map((tab) => `${site}#${tab}`),
  '/web/server',
  '/web/server/create',
  '/web/user',
  `/web/user/${encodeURIComponent(ada.email)}`,
  `/web/user/${encodeURIComponent(ada.email)}#settings`,
  '/web/job',
  ...['overview', 'slack', 'github', 'cloud_providers', 'backup_providers', 'ssh', 'activities'].map(
    (tab) => `/web/organization#${tab}`,
  ),
  ...['profile', 'plans', 'activities'].map((tab) => `/web/billing#${tab}`),
  ...['organizations', 'users', 'plans', 'outbox', 'jobs', 'health'].map((tab) => `/web/platform#${tab}`),
  '/web/organization/create',
  '/web/terms',
  '/web/no/such/page',
]

/** Opens each page the owner can open, the page of a server included, and looks at it once it is drawn. */
export async function onEachPage(page: Page, site: string, look: (path: string) => Promise<void>): Promise<void> {
  for (const path of [...pagePaths(site), '/web/server#first']) {
    if (path === '/web/server#first') {
      await page.goto('/web/server')
      await page.getByRole('main').getByRole('listitem').or(page.getByRole('row')).getByRole('link').first().click()
      await expect(page).toHaveURL(/\/server\/./)
    } else await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(page.locator('.sk')).toHaveCount(0)
    await look(path)
  }
}

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
