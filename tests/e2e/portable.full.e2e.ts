/** A site is exported as a ZIP archive, and archives become sites with their content. */
import { updraftDump, zipOf } from '#server/engines/local/archives/archive-fixture.ts'
import { dumpOf } from '#server/engines/local/portable/dump-fixture.ts'
import { asOwner, blog, expect } from './support/harness-test.ts'
import { siteStatus, siteTimeout } from './support/person.ts'

asOwner.describe.configure({ timeout: 4 * siteTimeout })

asOwner(
  'an export is downloaded and imported again as a site of its own',
  async ({ page, site, product }, testInfo) => {
    const pageOf = async (name: string) => {
      const response = await page.request.get(`http://127.0.0.1:${product.port}/`, {
        headers: { host: `${name}.localhost:${product.port}` },
      })
      return { status: response.status(), text: await response.text() }
    }
    const drawer = page.getByRole('dialog')
    const jobEnds = async () => {
      await expect(drawer.getByText('Done', { exact: true })).toBeVisible({ timeout: siteTimeout })
      await drawer.getByRole('button', { name: 'Close' }).last().click()
    }
    await page.goto(site)
    await page.getByRole('button', { name: 'More actions' }).first().click()
    await page.getByRole('menuitem', { name: /^Export/ }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Export', exact: true }).click()
    await jobEnds()
    const card = page.getByRole('region', { name: 'Export' })
    const saved = page.waitForEvent('download')
    await card.getByRole('link', { name: 'Download' }).click()
    const download = await saved
    expect(download.suggestedFilename()).toMatch(new RegExp(`^${blog.name}-.*\\.zip$`))
    const archive = testInfo.outputPath('site.zip')
    await download.saveAs(archive)
    await card.getByRole('button', { name: 'Delete the export' }).click()
    await expect(card).toBeHidden()

    await page.goto(`${product.url}/web/site`)
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Import a site' })
    await dialog.getByLabel('Archive', { exact: true }).setInputFiles(archive)
    await expect(dialog.getByText('Recognized as an export of Easydash')).toBeVisible()
    await expect(dialog.getByLabel(/^Name/)).toHaveValue('site')
    await dialog.getByLabel(/^Name/).fill('imported-journal')
    await expect(dialog.getByText('Available')).toBeVisible()
    await dialog.getByRole('button', { name: 'Import site' }).click()
    await jobEnds()
    await expect(siteStatus(page, 'Live')).toBeVisible()
    await expect(page.getByRole('heading', { level: 1, name: blog.title })).toBeVisible()
    const report = page.getByRole('region', { name: 'Import' })
    await expect(report.getByText('Everything that was compared is the same as in site.zip.')).toBeVisible()

    const copy = await pageOf('imported-journal')
    expect(copy.status).toBe(200)
    expect(copy.text).toContain(blog.title)
    expect(copy.text).toContain(`http://imported-journal.localhost:${product.port}/`)
    expect(copy.text).not.toContain(`//${blog.name}.localhost`)
    await report.getByRole('button', { name: 'Close the report' }).click()
    await expect(report).toBeHidden()
  },
)

asOwner(
  'all files of a backup become a site, and the report names what is missing',
  async ({ page, site, product }) => {
    expect(site, 'there is a server').toBeTruthy()
    const fileOf = (name: string, buffer: Buffer) => ({ name, mimeType: 'application/octet-stream', buffer })
    await page.goto(`${product.url}/web/site`)
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Import a site' })
    const files = [
      fileOf('backup_2024-05-01_shop-db.gz', updraftDump(dumpOf({ prefix: 'abc_' }), { prefix: 'abc_' })),
      fileOf('backup_2024-05-01_shop-plugins.zip', zipOf({ 'plugins/own/own.php': '<?php /* Plugin Name: Own */' })),
      fileOf('backup_2024-05-01_shop-uploads2.zip', zipOf({ 'uploads/2024/05/there.txt': 'there' })),
    ]
    await dialog.getByLabel('Archive', { exact: true }).setInputFiles(files.slice(1))
    await expect(dialog.getByText('Choose one archive at a time.')).toBeVisible()
    await dialog.getByLabel('Archive', { exact: true }).setInputFiles(files)
    await expect(dialog.getByText('Recognized as a backup of UpdraftPlus')).toBeVisible()
    await dialog.getByLabel(/^Name/).fill('imported-backup')
    await dialog.getByRole('button', { name: 'Import site' }).click()
    const drawer = page.getByRole('dialog')
    await expect(drawer.getByText('Done', { exact: true })).toBeVisible({ timeout: siteTimeout })
    await drawer.getByRole('button', { name: 'Close' }).last().click()
    await expect(siteStatus(page, 'Live')).toBeVisible()
    const report = page.getByRole('region', { name: 'Import' })
    await expect(report.getByText('UpdraftPlus', { exact: true })).toBeVisible()
    await report.getByText(/^Files of the backup that were not chosen/).click()
    await expect(report.getByText('backup_2024-05-01_shop-uploads.zip')).toBeVisible()
    const host = { host: `imported-backup.localhost:${product.port}` }
    const response = await page.request.get(`http://127.0.0.1:${product.port}/first/`, { headers: host })
    expect(response.status()).toBe(200)
    expect(await response.text()).toContain(`http://imported-backup.localhost:${product.port}/second/`)
  },
)
