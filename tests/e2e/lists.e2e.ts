/**
 * Lists: favorites, filters with several values, selection, and many rows. By role and label on
 * the one site of the shared product.
 */
import { AxeBuilder } from '@axe-core/playwright'
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

/** Makes the list's writes fail until the returned function is called. */
async function rejectRequests(page: Page, path: string, message: string): Promise<() => Promise<void>> {
  await page.route(path, (route) =>
    route.request().method() === 'GET'
      ? route.fallback()
      : route.fulfill({
          status: 417,
          contentType: 'application/json',
          body: JSON.stringify({
            exc_type: 'ValidationError',
            _server_messages: JSON.stringify([JSON.stringify({ message })]),
          }),
        }),
  )
  return () => page.unroute(path)
}

asOwner(
  'a site becomes a favorite immediately, can be filtered for, and is restored if the server rejects the change',
  async ({ page, site }) => {
    expect(site, 'there is a site').toBeTruthy()
    await openSites(page)
    const star = rowOf(page).getByRole('button', { name: /favorites/ })
    await expect(star).toHaveAttribute('aria-pressed', 'false')
    await star.click()
    await expect(star).toHaveAttribute('aria-pressed', 'true')
    await chip(page, /^Favorites/).click()
    await expect(page).toHaveURL(/favorite=/)
    await expect(chip(page, /^Favorites/)).toHaveText('Favorites1')
    await expect(rowOf(page)).toBeVisible()

    const allow = await rejectRequests(page, '**/api/resource/Site/*', 'Not now.')
    await star.click()
    await expect(page.getByText('The favorite was not saved', { exact: true })).toBeVisible()
    await expect(star).toHaveAttribute('aria-pressed', 'true')
    await allow()
    await star.click()
    await expect(page.getByText('Nothing matches')).toBeVisible()
    // The star disappeared with its row; undo restores both.
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect(star).toHaveAttribute('aria-pressed', 'true')
    await star.click()
    await expect(page.getByText('Nothing matches')).toBeVisible()
  },
)

asOwner('a filter of several values is selected, shared by URL and stored with the account', async ({ page, site }) => {
  expect(site, 'there is a site').toBeTruthy()
  await openSites(page)
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  const editor = page.getByRole('dialog')
  await editor.getByLabel('Field').selectOption('Status')
  await editor.getByLabel('Comparison').selectOption('In')
  await editor.getByLabel('Search values').fill('a')
  await editor.getByRole('button', { name: 'Select All' }).click()
  await expect(editor.getByText('+ 2 more')).toBeVisible()
  await editor.getByRole('button', { name: 'Clear' }).click()
  await editor.getByLabel('Search values').fill('li')
  await editor.getByLabel('Live').check()
  await editor.getByRole('button', { name: 'Apply' }).click()
  await expect(page).toHaveURL(/status=/)
  expect(new URL(page.url()).searchParams.get('status')).toBe('["in",["Live"]]')
  await expect(rowOf(page)).toBeVisible()

  // Without URL parameters the account's filter applies; a shared URL overrides it.
  await openSites(page)
  await expect(page.getByRole('button', { name: /Change filter Status in Live/ })).toBeVisible()
  await page.goto('/web/site?status=["=","Failed"]&columns=["php_version","favorite"]')
  await expect(page.getByText('Nothing matches')).toBeVisible()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect(rowOf(page)).toBeVisible()
  await expect(page.getByRole('columnheader', { name: 'PHP' })).toBeVisible()
  await expect(page.getByRole('columnheader', { name: 'Health' })).toHaveCount(0)
  await openSites(page)
  await expect(chip(page, /^All/)).toHaveAttribute('aria-pressed', 'true')
  await expect(page.getByRole('button', { name: /Change filter Status/ })).toHaveCount(0)
})

asOwner('rows are selected by keyboard, and an action on them is confirmed by their number', async ({ page, site }) => {
  expect(site, 'there is a site').toBeTruthy()
  await openSites(page)
  await page.keyboard.press('j')
  await expect(rowOf(page).getByRole('link').first()).toBeFocused()
  // The menu's code is not here yet.
  await page.keyboard.press('.')
  await expect(page.getByRole('menuitem').first()).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(rowOf(page).getByRole('button', { name: /actions/i })).toBeFocused()
  await page.keyboard.press('x')
  const bar = page.getByRole('region', { name: 'Selected rows' })
  await expect(bar.getByText('1 selected')).toBeVisible()
  await expect(page.getByLabel('Select the rows of this page')).toBeChecked()
  // On a slow machine the name's hover card is open by now, and the first Escape closes that.
  await expect(async () => {
    await page.keyboard.press('Escape')
    await expect(bar).toBeHidden({ timeout: 1000 })
  }).toPass()
  await page.getByLabel('Select the rows of this page').check()
  // The card opens anew if the pointer passes the name.
  await expect(page.getByRole('tooltip')).toHaveCount(0)
  const { violations } = await new AxeBuilder({ page }).analyze()
  expect(violations.map(({ id }) => id)).toEqual([])

  // What can be undone asks for no number.
  await bar.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Archive…' }).click()
  const question = page.getByRole('dialog', { name: 'Archive: 1 site' })
  await expect(question.getByRole('textbox')).toHaveCount(0)
  // The page behind stays where it is.
  await expect(page.locator('html')).toHaveCSS('overflow', 'hidden')
  const allow = await rejectRequests(page, '**/api/method/easydash.api.site.start_bulk_run', 'The disk is full.')
  await question.getByRole('button', { name: 'Archive (1)' }).click()
  await expect(question.getByText('The disk is full.')).toBeVisible()
  await allow()
  await question.getByRole('button', { name: 'Cancel' }).click()
  await expect(question).toBeHidden()
  await expect(page.locator('html')).toHaveCSS('overflow', 'visible')
  await expect(bar.getByText('1 selected')).toBeVisible()
})

asOwner('a page of 200 rows shows each of them where it is scrolled to', async ({ page, site }) => {
  expect(site, 'there is a site').toBeTruthy()
  // The plan has room for three sites: the first is multiplied on its way to the browser.
  const many = ([row]: Record<string, unknown>[]) =>
    Array.from({ length: 200 }, (_, at) => ({
      ...row,
      name: `site-${at + 1}`,
      domain: `site-${at + 1}`,
      title: `site-${at + 1}`,
    }))
  // The first time they come with the small lists above them, in one call.
  await page.route(/documents\.get_lists/, async (route) => {
    const response = await route.fetch()
    const { message } = (await response.json()) as { message: Record<string, unknown>[][] }
    const queries = new URL(route.request().url()).searchParams.get('queries') ?? '[]'
    const limits = (JSON.parse(queries) as { limit_page_length: number }[]).map((query) => query.limit_page_length)
    await route.fulfill({
      response,
      json: { message: message.map((rows, at) => (limits[at] === 200 ? many(rows) : rows)) },
    })
  })
  await page.route(
    (url) => url.pathname.endsWith('/frappe.client.get_list') && url.searchParams.get('doctype') === 'Site',
    async (route) => {
      const response = await route.fetch()
      const { message } = (await response.json()) as { message: Record<string, unknown>[] }
      await route.fulfill({ response, json: { message: many(message) } })
    },
  )
  await page.goto('/web/site?page_size=200')
  const row = (number: number) =>
    page.getByRole('row').filter({ has: page.getByRole('link', { name: `site-${number}`, exact: true }) })
  await expect(row(1)).toContainText('Live')
  const first = row(1).getByRole('link', { name: 'site-1', exact: true })
  await first.focus()
  for (const [share, number] of [
    [0.5, 100],
    [1, 200],
    [0, 1],
  ] as const) {
    await expect(async () => {
      // Again: the page gets longer or shorter as rows are measured.
      await page.evaluate(`scrollTo(0, ${share} * (document.body.scrollHeight - innerHeight))`)
      await expect(row(number)).toBeInViewport({ timeout: 1000 })
    }).toPass()
    await expect(row(number)).toContainText('Live')
    // The row with the focus stays, wherever the page is.
    await expect(first).toBeFocused()
  }
})
