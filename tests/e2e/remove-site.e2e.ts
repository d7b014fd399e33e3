/** Deleting a site: archive and restore, and permanent deletion. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { asOwner, blog, expect } from './support/harness-test.ts'
import { finishJob, openArchiveDialog } from './support/archive-dialog.ts'
import { createSite, siteStatus, siteTimeout } from './support/person.ts'

asOwner.describe.configure({ timeout: 3 * siteTimeout })

/** Archives the site from its page. */
async function archiveSite(page: Page): Promise<void> {
  await openArchiveDialog(page)
  await finishJob(page)
  await expect(siteStatus(page, 'Archived')).toBeVisible()
}

asOwner('an archived site is offline, read-only here, and is restored unchanged', async ({ page, site, product }) => {
  const front = `http://${blog.name}.localhost:${product.port}/`
  const visitor = await page.context().newPage()
  await visitor.goto(front)
  const posts = await visitor.getByRole('main').getByRole('heading', { level: 2 }).allInnerTexts()
  expect(posts.length).toBeGreaterThan(0)

  await page.goto(site)
  await archiveSite(page)
  const response = await visitor.goto(front)
  expect(response?.status()).toBe(410)
  await expect(visitor.getByText('This site is archived')).toBeVisible()
  const id = site.split('/').at(-1)
  // A killed process is listed until the system has ended it.
  await expect
    .poll(async () => (await product.processes()).filter(({ folder }) => folder?.endsWith(`/${id}`)))
    .toEqual([])
  await expect(page.getByText(/can be restored until/)).toBeVisible()
  await expect(page.getByRole('link', { name: 'Visit' })).toHaveCount(0)
  await page.getByRole('button', { name: 'More actions' }).click()
  for (const name of [/^Change PHP version/, /^Archive/]) {
    await expect(page.getByRole('menuitem', { name, disabled: false })).toHaveCount(0)
  }
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Sites' }).first().click()
  await expect(page.getByRole('main').getByRole('link', { name: blog.title })).toHaveCount(0)
  await page.getByRole('button', { name: /^Archived/ }).click()
  await page.getByRole('main').getByRole('link', { name: blog.title }).click()

  await page.getByRole('button', { name: 'Restore from archive' }).click()
  await finishJob(page)
  await expect(siteStatus(page, 'Live')).toBeVisible()
  await visitor.goto(front)
  await expect(visitor).toHaveTitle(new RegExp(blog.title))
  expect(await visitor.getByRole('main').getByRole('heading', { level: 2 }).allInnerTexts()).toEqual(posts)
  await visitor.close()
})

asOwner('a permanently deleted site frees the disk', async ({ page, site, product }) => {
  expect(site, 'another site that stays').toBeTruthy()
  await createSite(page, { name: 'leaflet', kind: 'HTML' })
  await expect(siteStatus(page, 'Live')).toBeVisible()
  const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
  const folders = () => readdir(join(product.dataDir, 'local', 'sites'))
  expect(await folders()).toContain(id)

  await archiveSite(page)
  await page.getByRole('main').getByRole('button', { name: 'Delete permanently' }).click()
  const dialog = page.getByRole('alertdialog', { name: /^Delete permanently / })
  await dialog.getByLabel('Type leaflet to confirm').fill('leaflet')
  await dialog.getByRole('button', { name: 'Delete permanently' }).click()
  await expect(page).toHaveURL(/\/web\/site(?:\?|$)/, { timeout: siteTimeout })
  await expect(page.getByText(/leaflet was permanently deleted|site was deleted/i).first()).toBeVisible()
  await expect.poll(folders).not.toContain(id)
  await page.goto('/web/site')
  await page.getByRole('button', { name: /^Archived/ }).click()
  await expect(page.getByRole('main').getByRole('link', { name: 'leaflet' })).toHaveCount(0)
  const response = await page.goto(`http://leaflet.localhost:${product.port}/`)
  expect(response?.status()).toBe(404)
})
