/** Favorites on the dashboard, and the activity log with days, changes and export. */
import { readFile } from 'node:fs/promises'
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { asOwner, blog, creationIn, expect } from './support/harness-test.ts'
import { accessibilityRules, expectValidLayout, settled } from './support/looks.ts'

const widget = (page: Page, name: string) => page.getByRole('region', { name })

/** Runs axe on the open dialog or menu; whole pages are checked at all widths and in both themes elsewhere. */
async function expectAccessible(page: Page): Promise<void> {
  await settled(page)
  const { violations } = await new AxeBuilder({ page }).withTags(accessibilityRules).analyze()
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)}`)).toEqual([])
}

asOwner('favorites are shown on the dashboard until they are removed', async ({ page, site }) => {
  await page.goto(site)
  const star = page.getByRole('main').getByRole('button', { name: /favorites/ })
  await expect(star).toHaveAttribute('aria-pressed', 'false')
  await star.click()
  await expect(star).toHaveAttribute('aria-pressed', 'true')

  await page.getByRole('link', { name: 'Dashboard' }).first().click()
  const favorites = widget(page, 'Favorites')
  await expect(favorites.getByRole('link', { name: blog.title })).toBeVisible()
  await expectValidLayout(page)
  await page.setViewportSize({ width: 1440, height: 900 })
  await favorites.getByRole('button', { name: /favorites/ }).click()
  await expect(page.getByRole('heading', { name: 'Latest sites' })).toBeVisible()
})

asOwner('activities are filtered by day, expanded, and exported', async ({ page, site }) => {
  await page.goto(`${site}#activities`)
  const rows = page.getByRole('main').getByRole('row')
  await expect(rows.nth(1)).toBeVisible()

  await page.getByRole('button', { name: /^Time:/ }).click()
  await page.getByRole('dialog').getByLabel('To').fill('2020-01-02')
  await expect(page).toHaveURL(/to=2020-01-02.*#activities$/)
  await page.keyboard.press('Escape')
  await expect(page.getByText('Nothing in this period')).toBeVisible()
  await page.reload()
  await expect(page.getByText('Nothing in this period')).toBeVisible()
  await page.getByRole('main').getByRole('button', { name: 'Any time', exact: true }).click()
  await expect(page).toHaveURL(/#activities$/)

  // The start of an act is in its end.
  await page.goto(creationIn(site))
  await expect(rows.filter({ hasText: 'Created the site' }).first()).toBeVisible()
  await expect(rows.filter({ hasText: 'Started creating the site' })).toHaveCount(0)
  await rows.filter({ hasText: 'Created the site' }).getByRole('link').first().click()
  const entry = page.getByRole('dialog', { name: /created the site/ })
  await expect(entry.getByText('Started', { exact: true })).toBeVisible()
  await expect(entry.getByRole('row', { name: /^Name/ })).toContainText(blog.name)
  await expect(entry.getByRole('row', { name: /^Title/ })).toContainText(blog.title)
  await expect(entry.getByText('Web', { exact: true })).toBeVisible()
  await expectAccessible(page)
  await page.goBack()
  await expect(entry).toBeHidden()
  await expect(page.getByRole('tab', { name: 'Activity' })).toHaveAttribute('aria-selected', 'true')

  const file = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('menuitem', { name: 'JSON lines' }).click()
  const download = await file
  expect(download.suggestedFilename()).toMatch(/^activity-.*\.jsonl$/)
  const lines = (await readFile(await download.path(), 'utf8')).trim().split('\n')
  const entries = lines.map((line) => JSON.parse(line) as { reference_name: string; action: string })
  expect(new Set(entries.map((one) => one.reference_name))).toEqual(new Set([site.split('/').at(-1)]))
  expect(entries.map((one) => one.action.toLowerCase())).toContain('site.create')
})
