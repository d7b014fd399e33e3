/**
 * Menus, dialogs and pages are fetched when they are needed. Without network they do not come: that is said where it is
 * noticed, what is on screen stays, and later the same press works.
 */
import type { BrowserContext, Page } from '@playwright/test'
import { forgive } from './console-watch.ts'
import { asOwner, blog, expect } from './harness-test.ts'

/** Until `come` is called, the browser has no network and the code of nothing but the open page. */
async function openWithoutTheRest(context: BrowserContext, page: Page): Promise<{ come: () => Promise<void> }> {
  let away = true
  await context.route(/\/assets\/(?:menu-panel|popover-panel|filter-editor|action-dialog|servers-page)-/, (route) =>
    away ? route.abort('internetdisconnected') : route.continue(),
  )
  await page.goto('/web/site')
  await expect(page.getByRole('row').filter({ hasText: blog.name })).toBeVisible()
  // What is fetched ahead has come: with routes there is no cache, and an import that began before would fail for good.
  await page.waitForLoadState('networkidle')
  await context.setOffline(true)
  return {
    come: async () => {
      away = false
      await context.setOffline(false)
    },
  }
}

/** The browser writes a lost connection to the console by itself. */
const lostConnection = /WebSocket connection|ERR_INTERNET_DISCONNECTED/

asOwner(
  'without network a menu, a filter and a dialog say so, and work later',
  async ({ context, page, site, problems }) => {
    expect(site, 'there is a site').toBeTruthy()
    const network = await openWithoutTheRest(context, page)
    const row = page.getByRole('row').filter({ hasText: blog.name })
    const told = page.getByRole('region', { name: /Notifications/ }).getByText('This could not be loaded')
    await page.evaluate('window.stayed = true')

    await row.getByRole('button', { name: /actions/i }).click()
    await expect(told).toBeVisible()
    await expect(row).toBeVisible()
    await page
      .getByRole('region', { name: /Notifications/ })
      .getByRole('button', { name: 'Close' })
      .click()
    await expect(told).toBeHidden()
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await expect(told).toBeVisible()

    await network.come()
    await page.getByRole('button', { name: 'Retry' }).click()
    await expect(page.getByRole('dialog', { name: 'Add a filter' })).toBeVisible()
    await expect(told).toBeHidden()
    await page.keyboard.press('Escape')
    await row.getByRole('button', { name: /actions/i }).click()
    await page.getByRole('menuitem', { name: /…$/ }).first().click()
    await expect(page.getByRole('dialog').or(page.getByRole('alertdialog'))).toBeVisible()
    expect(await page.evaluate('window.stayed'), 'the page was not loaded anew').toBe(true)
    forgive(problems, lostConnection)
  },
)

asOwner(
  'a page that does not come says so inside the shell, and comes later',
  async ({ context, page, site, problems }) => {
    expect(site, 'there is a site').toBeTruthy()
    const network = await openWithoutTheRest(context, page)
    const sidebar = page.getByRole('navigation', { name: 'Main' })
    await page.evaluate('window.stayed = true')

    await sidebar.getByRole('link', { name: /Servers/ }).click()
    await expect(page.getByRole('heading', { name: 'This page could not be loaded' })).toBeVisible()
    await expect(sidebar).toBeVisible()
    const again = page.getByRole('button', { name: 'Try again' })
    await again.click()
    await expect(again).not.toHaveAttribute('aria-busy')
    // What was here stays usable.
    await sidebar.getByRole('link', { name: /Sites/ }).click()
    await expect(page.getByRole('row').filter({ hasText: blog.name })).toBeVisible()
    await sidebar.getByRole('link', { name: /Servers/ }).click()
    await expect(again).toBeVisible()

    await network.come()
    await again.click()
    await expect(page.getByRole('heading', { level: 1, name: 'Servers' })).toBeVisible()
    expect(await page.evaluate('window.stayed'), 'the page was not loaded anew').toBe(true)
    forgive(problems, lostConnection)
  },
)

asOwner(
  'a notice whose code does not come stands in the tray, and the next one is seen',
  async ({ context, page, site, problems }) => {
    expect(site, 'there is a site').toBeTruthy()
    let away = true
    await context.route(/\/assets\/toast-panel-/, (route) =>
      away ? route.abort('internetdisconnected') : route.continue(),
    )
    await page.route('**/api/resource/Site/*', (route) => route.fulfill({ status: 500, json: {} }))
    await page.goto('/web/site')
    const title = 'The favourite was not saved'
    const star = page.getByRole('main').getByRole('button', { name: /favourites/ })
    const shown = page.getByRole('region', { name: /Notifications/ }).getByText(title)
    const refused = page.waitForEvent('requestfailed', (request) => request.url().includes('/assets/toast-panel-'))
    await star.first().click()
    await refused
    await page.getByRole('button', { name: 'Jobs', exact: true }).click()
    await expect(page.getByRole('dialog', { name: 'Jobs' }).getByText(title)).toBeVisible()
    await expect(shown).toBeHidden()
    await page.keyboard.press('Escape')

    away = false
    await star.first().click()
    await expect(shown).toBeVisible()
    forgive(problems, /ERR_INTERNET_DISCONNECTED|status of 500/)
  },
)
