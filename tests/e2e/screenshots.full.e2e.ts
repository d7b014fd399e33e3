/** Screenshots of the README: `EASYDASH_SCREENSHOTS=1 EASYDASH_E2E_PORT=8080 npx playwright test screenshots`. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { asOwner, blog, expect, test } from './support/harness-test.ts'
import { settled, useTheme } from './support/looks.ts'
import { createSite, fillSiteForm, siteTimeout, submitSite } from './support/person.ts'

const folder = join(import.meta.dirname, '..', '..', 'docs', 'screenshots')
const desktop = { width: 1440, height: 900 }

test.skip(process.env['EASYDASH_SCREENSHOTS'] !== '1', 'changes docs/screenshots, so only when asked to')
asOwner.skip(process.env['EASYDASH_SCREENSHOTS'] !== '1', 'changes docs/screenshots, so only when asked to')

/** One screenshot per theme. */
async function shoot(page: Page, name: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  await page.setViewportSize(desktop)
  await page.mouse.move(0, 0)
  for (const theme of ['light', 'dark'] as const) {
    await useTheme(page, theme)
    await page.screenshot({ path: join(folder, `${name}-${theme}.png`), animations: 'disabled', caret: 'hide' })
  }
}

test('login', async ({ page, owner }) => {
  expect(owner, 'there is an account').toBeTruthy()
  await page.goto('/web/login')
  await expect(page.getByRole('heading', { name: 'Log in' })).toBeVisible()
  await expect(page.getByText('All services up')).toBeVisible()
  await shoot(page, 'login')
})

asOwner('the app', async ({ page, site }) => {
  asOwner.setTimeout(4 * siteTimeout)
  await createSite(page, { name: 'handbook', kind: 'HTML' })

  await page.goto('/web/site/create')
  await fillSiteForm(page, { name: 'shop', title: 'Fernhill Shop' })
  await expect(page.getByText('Available', { exact: true })).toBeVisible()
  await page.getByRole('heading', { level: 1 }).click()
  await shoot(page, 'create-site')

  // During the installation, which takes longer than the screenshots of both themes.
  const drawer = await submitSite(page, { name: 'shop' })
  await expect(drawer.getByText(/Install WordPress/)).toBeVisible()
  await expect(drawer.getByRole('listitem').filter({ hasText: 'Install WordPress' })).toHaveAttribute(
    'aria-current',
    'step',
    { timeout: siteTimeout },
  )
  await shoot(page, 'job')
  await expect(drawer.getByText('Done', { exact: true })).toBeVisible({ timeout: siteTimeout })

  for (const [path, name, heading] of [
    ['/web', 'dashboard', 'Dashboard'],
    ['/web/site', 'sites', 'Sites'],
    [site, 'site', blog.name],
  ] as const) {
    await page.goto(path)
    await expect(page.getByRole('heading', { name: heading, level: 1 })).toBeVisible()
    await settled(page)
    await shoot(page, name)
  }
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto('/web/site')
  await expect(page.getByRole('main').getByRole('link', { name: blog.title })).toBeVisible()
  await useTheme(page, 'light')
  await page.screenshot({ path: join(folder, 'sites-phone.png'), animations: 'disabled' })
})
