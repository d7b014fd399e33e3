/** Deleting a site: archive and restore, and permanent deletion. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { asOwner, blog, expect } from './support/harness-test.ts'
import { createSite, siteStatus, siteTimeout } from './support/person.ts'

asOwner.describe.configure({ timeout: 3 * siteTimeout })

/** Requests archiving on the site's page; the name has to be typed. */
async function openArchiveDialog(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: /^Archive/ }).click()
  const dialog = page.getByRole('alertdialog', { name: `Archive ${name}?` })
  const field = dialog.getByLabel(`Type ${name} to confirm`)
  await expect(field).toBeFocused()
  await field.fill(`${name}x`)
  await expect(dialog.getByRole('button', { name: 'Archive', exact: true })).toBeDisabled()
  await page.keyboard.press('Enter')
  await expect(dialog.getByText('The name doesn’t match.')).toBeVisible()
  await field.fill(name)
  await dialog.getByRole('button', { name: 'Archive', exact: true }).click()
}

/** Archives the site from its page. */
async function archiveSite(page: Page, name: string): Promise<void> {
  await openArchiveDialog(page, name)
  await finishJob(page)
  await expect(siteStatus(page, 'Archived')).toBeVisible()
}

/** Waits until the job in the automatically opened drawer is done, and closes it. */
async function finishJob(page: Page): Promise<void> {
  const drawer = page.getByRole('dialog')
  await expect(drawer.getByText('Done', { exact: true })).toBeVisible({ timeout: siteTimeout })
  await drawer.getByRole('button', { name: 'Close' }).last().click()
  await expect(drawer).toBeHidden()
}

asOwner('an archived site is offline, read-only here, and is restored unchanged', async ({ page, site, product }) => {
  const front = `http://${blog.name}.localhost:${product.port}/`
  const visitor = await page.context().newPage()
  await visitor.goto(front)
  const posts = await visitor.getByRole('main').getByRole('heading', { level: 2 }).allInnerTexts()
  expect(posts.length).toBeGreaterThan(0)

  await page.goto(site)
  await archiveSite(page, blog.name)
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
  await expect(page.getByRole('main').getByRole('link', { name: blog.name })).toHaveCount(0)
  await page.getByRole('button', { name: /^Archived/ }).click()
  await page.getByRole('main').getByRole('link', { name: blog.name }).click()

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

  // The message of the completed job has an undo button, whether its drawer is open or closed, and is the only one.
  for (const closed of [false, true]) {
    await openArchiveDialog(page, 'leaflet')
    const drawer = page.getByRole('dialog', { name: 'Archive leaflet' })
    await expect(drawer).toBeVisible()
    if (closed) await drawer.getByRole('button', { name: 'Close' }).last().click()
    const notice = page.getByRole('listitem').filter({ hasText: 'Archive leaflet: done' })
    await notice.hover({ timeout: siteTimeout })
    if (closed) {
      await page.getByRole('button', { name: 'Jobs', exact: true }).click()
      const tray = page.getByRole('dialog', { name: 'Jobs' })
      await expect(tray.getByRole('listitem').filter({ hasText: 'Archive leaflet: done' })).toHaveCount(1)
      await tray.getByRole('button', { name: 'Undo: Archive leaflet: done' }).click()
    } else await notice.getByRole('button', { name: 'Undo' }).click()
    await expect(page.getByRole('dialog', { name: 'Restore leaflet from the archive' })).toBeVisible()
    await finishJob(page)
    await expect(siteStatus(page, 'Live')).toBeVisible()
    if (!closed) await page.reload()
  }

  await archiveSite(page, 'leaflet')
  await page.getByRole('main').getByRole('button', { name: 'Delete permanently' }).click()
  const dialog = page.getByRole('alertdialog', { name: 'Delete permanently leaflet?' })
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
