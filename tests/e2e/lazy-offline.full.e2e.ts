/**
 * Pages are loaded lazily. While offline, a new one shows an error in its place, the current one keeps working, and the new
 * one loads once online.
 */
import { ignoreConsoleErrors } from './support/console-watch.ts'
import { asOwner, blog, expect } from './support/harness-test.ts'

/** The browser logs lost connections and failed imports to the console. */
const lostConnection = /WebSocket connection|ERR_INTERNET_DISCONNECTED|dynamically imported module/

asOwner('a menu, a filter and a dialog open while offline', async ({ context, page, site, problems }) => {
  expect(site, 'there is a site').toBeTruthy()
  await page.goto('/web/site')
  const row = page.getByRole('row').filter({ hasText: blog.name })
  await expect(row).toBeVisible()
  // Forms are loaded in advance, after what the list reads first.
  await page.waitForLoadState('networkidle')
  await context.setOffline(true)

  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  await expect(page.getByRole('dialog', { name: 'Add a filter' })).toBeVisible()
  await page.keyboard.press('Escape')
  await row.getByRole('button', { name: /actions/i }).click()
  await page.getByRole('menuitem', { name: /…$/ }).first().click()
  await expect(page.getByRole('dialog').or(page.getByRole('alertdialog'))).toBeVisible()
  await context.setOffline(false)
  ignoreConsoleErrors(problems, lostConnection)
})

asOwner(
  'a page that cannot be loaded shows an error inside the shell, and loads later',
  async ({ context, page, site, problems }) => {
    expect(site, 'there is a site').toBeTruthy()
    await page.goto('/web/site')
    await expect(page.getByRole('row').filter({ hasText: blog.name })).toBeVisible()
    await context.setOffline(true)
    const sidebar = page.getByRole('navigation', { name: 'Main' })

    await sidebar.getByRole('link', { name: /Servers/ }).click()
    await expect(page.getByRole('heading', { name: 'This page could not be loaded' })).toBeVisible()
    await expect(sidebar).toBeVisible()
    const again = page.getByRole('button', { name: 'Try again' })
    await again.click()
    await expect(again).not.toHaveAttribute('aria-busy')
    // Loaded pages keep working.
    await sidebar.getByRole('link', { name: /Sites/ }).click()
    await expect(page.getByRole('row').filter({ hasText: blog.name })).toBeVisible()
    await sidebar.getByRole('link', { name: /Servers/ }).click()
    await expect(again).toBeVisible()

    await context.setOffline(false)
    await again.click()
    await expect(page.getByRole('heading', { level: 1, name: 'Servers' })).toBeVisible()
    ignoreConsoleErrors(problems, lostConnection)
  },
)
