/** Lists: cards of names, views, a copy as a command, and late responses. */
import type { Page } from '@playwright/test'
import { asOwner, blog, expect, withMotion } from './support/harness-test.ts'

asOwner.use(withMotion)

async function openSites(page: Page, search = ''): Promise<void> {
  await page.goto(`/web/site${search}`)
  await expect(rowOf(page)).toBeVisible()
}

const rowOf = (page: Page) => page.getByRole('row').filter({ hasText: blog.name })
const chip = (page: Page, name: RegExp | string) =>
  page.getByRole('group', { name: 'Views' }).getByRole('button', { name })

asOwner(
  'of two filters applied in quick succession the last one is shown, even if its response arrives first',
  async ({ page, site }) => {
    expect(site, 'there is a site').toBeTruthy()
    await openSites(page)
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    await page.route('**/api/method/frappe.client.get_list*', async (route) => {
      const isSlow = decodeURIComponent(route.request().url()).includes('["health","=","Down"]')
      if (isSlow) await held
      await route.continue()
    })
    await chip(page, /^Needs attention/).click()
    await chip(page, /^Mine/).click()
    await expect(chip(page, /^Mine/)).toHaveAttribute('aria-pressed', 'true')
    await expect(rowOf(page)).toBeVisible()
    const late = page.waitForResponse((response) =>
      decodeURIComponent(response.url()).includes('["health","=","Down"]'),
    )
    release()
    await late
    await expect(rowOf(page)).toBeVisible()
    await expect(page.getByText('Nothing matches')).toHaveCount(0)
  },
)

asOwner('the list can be copied as a command', async ({ page, context, site }) => {
  expect(site, 'there is a site').toBeTruthy()
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await openSites(page)
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Copy as curl' }).click()
  await expect(page.getByText('Command copied', { exact: true })).toBeVisible()
  const command = await page.evaluate<string>('navigator.clipboard.readText()')
  expect(command).toContain('/api/resource/Site')
  expect(command).toContain('Authorization: token KEY:SECRET')
  expect(command).toContain('["status","!=","Archived"]')
})

asOwner(
  'hovering over a name shows a card; Escape closes it without clearing the selection',
  async ({ page, site }) => {
    expect(site).toContain('/web/site/')
    await openSites(page)
    const name = rowOf(page).getByRole('link', { name: blog.title, exact: true })
    await rowOf(page).getByRole('checkbox').check()
    await name.hover()
    const card = page.getByRole('tooltip').filter({ hasText: 'Server' })
    await expect(card).toContainText('Live')
    await expect(name).toHaveAccessibleDescription(/Live/)
    await page.keyboard.press('Escape')
    await expect(card).toBeHidden()
    await expect(rowOf(page).getByRole('checkbox')).toBeChecked()
    await page.mouse.move(0, 0)
    await name.hover()
    await expect(card).toBeVisible()
    await page.mouse.move(0, 0)
    await expect(card).toBeHidden()
  },
)

asOwner('a view is saved, shared and renamed, and its deletion can be undone', async ({ page, site }) => {
  expect(site, 'there is a site').toBeTruthy()
  await openSites(page, '?php_version=["!=","8.2"]')
  await page.getByRole('button', { name: 'Save view' }).click()
  const dialog = page.getByRole('dialog', { name: 'Save this view' })
  await dialog.getByRole('button', { name: 'Save view' }).click()
  await expect(dialog.getByText('Give the view a name.')).toBeVisible()
  await dialog.getByLabel('Name').fill('Newer PHP')
  await dialog.getByLabel('Shared with the organization').check()
  await page.keyboard.press('Enter')
  await expect(dialog).toBeHidden()
  await expect(chip(page, /^shared Newer PHP/)).toHaveAttribute('aria-pressed', 'true')
  await chip(page, /^All/).click()
  await expect(chip(page, /^shared Newer PHP/)).toHaveAttribute('aria-pressed', 'false')
  await chip(page, /^shared Newer PHP/).click()
  await expect(page).toHaveURL(/php_version=/)

  const menu = page.getByRole('button', { name: 'Actions for the view Newer PHP' })
  await menu.click()
  await page.getByRole('menuitem', { name: 'Stop sharing' }).click()
  await expect(chip(page, /^Newer PHP/)).toBeVisible()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(chip(page, /^shared Newer PHP/)).toBeVisible()
  await menu.click()
  await page.getByRole('menuitem', { name: 'Rename' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('PHP 8.3 and on')
  await page.keyboard.press('Enter')
  await expect(chip(page, /^shared PHP 8\.3 and on/)).toBeVisible()
  await page.getByRole('button', { name: 'Actions for the view PHP 8.3 and on' }).click()
  await page.getByRole('menuitem', { name: 'Delete view' }).click()
  await expect(chip(page, /^shared PHP 8\.3 and on/)).toHaveCount(0)
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(chip(page, /^shared PHP 8\.3 and on/)).toBeVisible()
  await page.reload()
  await expect(chip(page, /^shared PHP 8\.3 and on/)).toHaveAttribute('aria-pressed', 'true')
  await page.getByRole('button', { name: 'Actions for the view PHP 8.3 and on' }).click()
  await page.getByRole('menuitem', { name: 'Delete view' }).click()
  await expect(chip(page, /^shared PHP 8\.3 and on/)).toHaveCount(0)
})
