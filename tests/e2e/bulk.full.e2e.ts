/** One action on three sites at once: the dialog, the page with a row per site, pausing, the report, and the way back to it. */
import { readFile } from 'node:fs/promises'
import { asOwner, blog, expect } from './support/harness-test.ts'
import { createSite, siteTimeout } from './support/person.ts'
import { tooWide } from './support/screen-sizes.ts'

asOwner.describe.configure({ timeout: 4 * siteTimeout })

asOwner('the PHP version of three sites is changed, live, with a report', async ({ page, site }) => {
  expect(site, 'there is a site').toBeTruthy()
  for (const number of ['one', 'two'])
    await createSite(page, { name: `bulk-${number}`, title: `Bulk ${number}`, kind: 'PHP' })

  await page.goto('/web/site')
  await page.getByLabel('Select the rows of this page').check()
  const bar = page.getByRole('region', { name: 'Selected rows' })
  await bar.getByRole('button', { name: 'Change PHP version…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Change PHP version: 3 sites' })
  await dialog.getByLabel('PHP version').selectOption('8.3')
  await dialog.getByRole('button', { name: 'Change PHP version (3)' }).click()

  await expect(page).toHaveURL(/\/web\/bulk\//)
  await expect(page.getByRole('heading', { level: 1, name: 'Change PHP version: 8.3' })).toBeVisible()
  const matrix = page.getByRole('table', { name: 'Sites and their steps' })
  const row = (name: string) => matrix.getByRole('row').filter({ has: page.getByRole('rowheader', { name }) })
  await expect(matrix.getByRole('columnheader', { name: 'Switch to PHP 8.3' })).toBeVisible()
  for (const name of [blog.title, 'Bulk one', 'Bulk two'])
    await expect(row(name).getByRole('button', { name: `Done. Show the job of ${name}` })).toBeVisible({
      timeout: siteTimeout,
    })
  await expect(page.getByText('3 of 3 sites finished')).toBeVisible()

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download report' }).click(),
  ])
  const report = await readFile(await download.path(), 'utf8')
  expect(report.trim().split('\r\n')).toHaveLength(4)
  expect(report).toContain(`${blog.name},Done,`)

  // Its sites can be filtered by their state, and it stays listed with the jobs.
  await page.getByRole('button', { name: /^Failed/ }).click()
  await expect(page.getByText('No site is in this state')).toBeVisible()
  await page.goto('/web/job')
  await page
    .getByRole('region', { name: 'Bulk actions' })
    .getByRole('link', { name: /Change PHP version: 8\.3/ })
    .click()
  await expect(matrix).toBeVisible()
  const size = page.viewportSize()
  await page.setViewportSize({ width: 320, height: 640 })
  expect(await tooWide(page)).toEqual([])
  if (size) await page.setViewportSize(size)
  await row('Bulk one').getByRole('link', { name: 'Bulk one' }).click()
  await expect(page.getByText('8.3').first()).toBeVisible()
})
