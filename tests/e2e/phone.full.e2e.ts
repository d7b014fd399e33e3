/**
 * The main workflow on a phone by touch alone: from the first account to a WordPress with its admin open, an invited
 * colleague, and logout. Nothing scrolls horizontally, and every control is large enough to tap.
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import type { Locator, Page } from '@playwright/test'
import { passwords } from './support/leak-markers.ts'
import { watchedTest as test } from './support/console-watch.ts'
import { startProduct, type Product } from './support/harness.ts'
import { expect } from './support/harness-test.ts'
import { settled } from './support/looks.ts'
import { inNewTab, siteStatus, siteTimeout, type Person } from './support/person.ts'

const pia: Person = { firstName: 'Pia', lastName: 'Thumb', email: 'pia@thumb.example', password: passwords.owner }
const screenshotFolder = process.env['EASYDASH_PHONE_PICTURES']

let product: Product
test.use({
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
  // oxlint-disable-next-line no-empty-pattern
  baseURL: async ({}, use) => {
    product = await startProduct()
    await use(product.url)
    await product.close()
  },
})

/** Taps an element; fails if anything covers it. */
async function tap(target: Locator): Promise<void> {
  await target.scrollIntoViewIfNeeded()
  await target.tap()
}

/** Checks a screen: no horizontal scrolling, touch target sizes and accessibility rules. */
async function takeScreenshot(page: Page, name: string): Promise<void> {
  await settled(page)
  if (screenshotFolder) {
    await mkdir(screenshotFolder, { recursive: true })
    await page.screenshot({ path: join(screenshotFolder, `${name}.png`) })
  }
  const sideways = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
  expect(sideways, `sideways scroll of ${name}`).toBe(0)
  const { violations } = await new AxeBuilder({ page }).withRules(['target-size', 'label', 'color-contrast']).analyze()
  expect(
    violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join('\n')}`),
    name,
  ).toEqual([])
}

/** Fills in and submits the form of a site. */
async function fillIn(page: Page, name: string): Promise<void> {
  await expect(page.getByRole('radio', { checked: true, name: /development/i })).toBeAttached()
  await tap(page.getByLabel('Name', { exact: true }))
  await page.keyboard.type('thumb')
  // The title follows the name until the user edits it.
  await tap(page.getByLabel('Site title'))
  await page.getByLabel('Site title').clear()
  await page.keyboard.type('Thumb Journal')
  await takeScreenshot(page, name)
  await tap(page.getByRole('button', { name: 'Create site' }))
}

test('a user signs up, creates a site, opens its admin and invites by touch', async ({ page }) => {
  test.setTimeout(4 * siteTimeout)
  await page.goto(product.setupLink ?? '')
  for (const [label, text] of [
    ['First name', pia.firstName],
    ['Last name', pia.lastName],
    ['Email', pia.email],
    ['Password', pia.password],
  ] as const) {
    const field = page.getByRole('textbox', { name: label })
    await tap(field)
    await page.keyboard.type(text)
  }
  await tap(page.getByLabel('I accept the terms'))
  await takeScreenshot(page, '01-signup')
  await tap(page.getByRole('button', { name: 'Create account' }))
  await page.waitForURL('**/web/organization/create')

  await tap(page.getByLabel('Name', { exact: true }))
  await page.keyboard.type('Thumb Works')
  await expect(page.getByText('Available', { exact: true })).toBeVisible()
  await takeScreenshot(page, '02-organization')
  await tap(page.getByRole('button', { name: 'Create organization' }))
  await expect(page.getByRole('heading', { name: 'Welcome to Thumb Works' })).toBeVisible()

  // The short tour is offered; it leads to the form of the first site, and continues once the site exists.
  const tour = page.getByRole('dialog').filter({ hasText: /\d of \d/ })
  await tap(page.getByRole('button', { name: 'Start the tour' }))
  for (const title of ['Your organizations', 'Sites', 'Create a site']) {
    await expect(tour).toContainText(title)
    await takeScreenshot(page, `03-tour ${title}`)
    await tap(tour.getByRole('button', { name: 'Next' }))
  }
  await fillIn(page, '04-create')
  const drawer = page.getByRole('dialog', { name: 'Create Thumb Journal' })
  await expect(drawer).toBeVisible()
  await takeScreenshot(page, '05-job')
  await expect(drawer.getByText('Done', { exact: true })).toBeVisible({ timeout: siteTimeout })
  await takeScreenshot(page, '06-job-done')
  await tap(drawer.getByRole('button', { name: 'Close' }).last())
  await expect(drawer).toBeHidden()
  await expect(siteStatus(page, 'Live')).toBeVisible()
  for (let step = 3; step <= 7; step += 1) {
    await expect(tour).toContainText(`${step} of 7`)
    await takeScreenshot(page, `07-tour-${step}`)
    if (step < 7) await tap(tour.getByRole('button', { name: 'Next' }))
  }
  const kept = page.waitForResponse((response) => response.request().method() === 'PUT')
  await tap(tour.getByRole('button', { name: 'Finish' }))
  await expect(tour).toBeHidden()
  await kept

  await page.goto('/web')
  await expect(page.getByText('No running jobs')).toBeVisible()
  await takeScreenshot(page, '08-dashboard')
  await tap(page.getByRole('button', { name: /menu|sidebar/i }).first())
  await takeScreenshot(page, '09-menu')
  await tap(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: /^Servers/ }))
  await expect(page.getByRole('heading', { level: 1, name: 'Servers' })).toBeVisible()
  await takeScreenshot(page, '10-servers')
  await tap(page.getByRole('main').getByRole('listitem').getByRole('link').first())
  await expect(page.getByText('This machine').first()).toBeVisible()
  await takeScreenshot(page, '11-server')

  await page.goto('/web/site')
  await tap(page.getByRole('listitem').filter({ hasText: 'thumb' }).getByRole('link').first())
  await expect(siteStatus(page, 'Live')).toBeVisible()
  await takeScreenshot(page, '12-site')

  const admin = await inNewTab(page, () => tap(page.getByRole('button', { name: /^Open admin/ })))
  await expect(admin.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeVisible()
  await admin.close()
  await tap(page.getByRole('tab', { name: 'Activity' }))
  await expect(page.getByText(/created the site/).first()).toBeVisible()
  await takeScreenshot(page, '13-activities')

  await page.goto('/web/site')
  const card = page.getByRole('listitem').filter({ hasText: 'thumb' })
  await expect(card).toBeVisible()
  await takeScreenshot(page, '14-sites')
  await page.goto('/web/user')
  await tap(page.getByRole('button', { name: /^Invite/ }).first())
  const dialog = page.getByRole('dialog')
  await tap(dialog.getByRole('combobox').first())
  await page.keyboard.type('ole@thumb.example')
  await takeScreenshot(page, '15-invite')
  await tap(dialog.getByRole('button', { name: /^(?:Send|Invite|Create invitation)/ }).last())
  await expect(page.getByRole('list', { name: 'Users' }).getByText('ole@thumb.example').first()).toBeVisible()
  await takeScreenshot(page, '16-users')

  await tap(page.getByRole('button', { name: /^User menu/ }))
  await takeScreenshot(page, '17-user-menu')
  await tap(page.getByRole('menuitem', { name: 'Logout' }))
  await page.waitForURL('**/web/login')
  await takeScreenshot(page, '18-login')
})
