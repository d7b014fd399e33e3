/** Deleting a site for good. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { asOwner, expect } from './support/harness-test.ts'
import { archiveSite } from './support/archive-dialog.ts'
import { createSite, siteStatus, siteTimeout } from './support/person.ts'

asOwner.describe.configure({ timeout: 3 * siteTimeout })

asOwner('a permanently deleted site frees the disk', async ({ page, site, product }) => {
  expect(site, 'another site that stays').toBeTruthy()
  await createSite(page, { name: 'leaflet', kind: 'HTML' })
  await expect(siteStatus(page, 'Live')).toBeVisible()
  const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
  const folders = () => readdir(join(product.dataDir, 'local', 'sites'))
  expect(await folders()).toContain(id)

  await archiveSite(page)
  const archived = await page.request.get(`http://127.0.0.1:${product.port}/`, {
    headers: { host: `leaflet.localhost:${product.port}` },
  })
  expect(archived.status()).toBe(410)
  await page.getByRole('main').getByRole('button', { name: 'Delete permanently' }).click()
  const dialog = page.getByRole('alertdialog', { name: /^Permanently delete / })
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
