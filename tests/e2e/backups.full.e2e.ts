/** A site is backed up and proven, damaged, restored, the restore is undone, and the backup is downloaded. */
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fetchFrom } from '#server/engines/local/engine-fixture.ts'
import { asOwner, blog, expect } from './support/harness-test.ts'
import { call, siteStatus, siteTimeout } from './support/person.ts'

asOwner.describe.configure({ timeout: 6 * siteTimeout })

asOwner(
  'a damaged site is restored from a proven backup, and the way back is open',
  async ({ page, site, product }) => {
    const id = site.split('/').at(-1) ?? ''
    const sql = (text: string) =>
      call(page, 'run_doc_method', { dt: 'Site', dn: id, method: 'run_sql', args: { sql: text, confirmed: 1 } })
    const visit = () => fetchFrom(product.port, `${blog.name}.localhost:${product.port}`, '/')
    const jobEnds = async () => {
      const drawer = page.getByRole('dialog')
      await expect(drawer.getByText('Done', { exact: true }).first()).toBeVisible({ timeout: 2 * siteTimeout })
      await drawer.getByRole('button', { name: 'Close' }).last().click()
      await expect(drawer).toBeHidden()
    }
    const table = page.getByRole('table', { name: /Backups/ })
    const proven = (count: number) =>
      expect(table.getByText('Proven', { exact: true })).toHaveCount(count, { timeout: 2 * siteTimeout })

    await page.goto(`${site}#backupandrestore`)
    await page.getByRole('button', { name: /^Back up now/ }).click()
    await page.getByRole('dialog').getByLabel(/^Note/).fill('Before the damage')
    await page.getByRole('dialog').getByRole('button', { name: 'Back up', exact: true }).click()
    await jobEnds()
    await proven(1)
    expect((await visit()).body).toContain(blog.title)

    for (const name of ['posts', 'options', 'users']) await sql(`DROP TABLE wp_${name}`)
    const www = join(product.dataDir, 'local', 'sites', id, 'www')
    for (const folder of ['wp-content/themes', 'wp-includes/blocks']) await rm(join(www, folder), { recursive: true })
    expect((await visit()).body).not.toContain(blog.title)

    const row = table.getByRole('row').filter({ hasText: 'Before the damage' })
    await row.getByRole('button', { name: /^More|actions/i }).click()
    await page.getByRole('menuitem', { name: 'Restore…' }).click()
    const dialog = page.getByRole('dialog', { name: `Restore ${blog.title}` })
    await expect(dialog.getByLabel('Back up the site as it is first')).toBeChecked()
    await expect(dialog.getByRole('button', { name: 'Restore', exact: true })).toBeDisabled()
    await dialog.getByLabel(/^Type/).fill(`${blog.name}`)
    await dialog.getByRole('button', { name: 'Restore', exact: true }).click()
    await jobEnds()
    await expect(siteStatus(page, 'Live')).toBeVisible()
    const healed = await visit()
    expect([healed.status, healed.body.includes(blog.title), healed.body.includes('</html>')]).toEqual([
      200,
      true,
      true,
    ])

    await page.getByRole('button', { name: 'Undo the restore' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: /Undo/ }).click()
    await jobEnds()
    await expect(page.getByText('The site was restored from a backup')).toBeHidden()
    expect((await visit()).body).not.toContain(blog.title)

    const download = page.waitForEvent('download')
    await row.getByRole('button', { name: /^More|actions/i }).click()
    await page.getByRole('menuitem', { name: 'Download' }).click()
    const archive = await readFile(await (await download).path())
    // The magic number of zstd.
    expect(archive.subarray(0, 4).toString('hex')).toBe('28b52ffd')

    await row.getByRole('button', { name: /^More|actions/i }).click()
    await page.getByRole('menuitem', { name: 'Restore…' }).click()
    await dialog.getByLabel('Back up the site as it is first').uncheck()
    await dialog.getByLabel(/^Type/).fill(`${blog.name}`)
    await dialog.getByRole('button', { name: 'Restore', exact: true }).click()
    await jobEnds()
    expect((await visit()).body).toContain(blog.title)
  },
)
