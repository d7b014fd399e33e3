/** The version of WordPress: its original files are put back, and that is rolled back. Without a network there is one version. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { asOwner, blog, expect } from './support/harness-test.ts'
import { siteStatus, siteTimeout } from './support/person.ts'

asOwner.describe.configure({ timeout: 5 * siteTimeout })

asOwner('original files of WordPress are put back, and rolled back', async ({ page, site, product }) => {
  const www = join(product.dataDir, 'local', 'sites', site.split('/').at(-1) ?? '', 'www')
  const changed = join(www, 'wp-includes/default-constants.php')
  const original = await readFile(changed, 'utf8')
  await writeFile(changed, `${original}\n// changed by hand\n`)
  await page.goto(`${site}#wordpress`)
  const card = page.getByRole('region', { name: 'Version of WordPress' })
  await card.getByRole('button', { name: 'Change version…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Change the version of WordPress' })
  await dialog.getByRole('button', { name: 'Put original files back' }).click()
  const job = page.getByRole('dialog').filter({ hasText: `on ${blog.title}` })
  await expect(job.getByText('Done', { exact: true })).toBeVisible({ timeout: 2 * siteTimeout })
  await job.getByRole('button', { name: 'Close' }).last().click()
  await expect(siteStatus(page, 'Live')).toBeVisible()
  expect(await readFile(changed, 'utf8')).toBe(original)

  await card.getByRole('button', { name: /Roll back to/ }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Roll back' }).click()
  const back = page.getByRole('dialog').filter({ hasText: `Roll ${blog.title} back` })
  await expect(back.getByText('Done', { exact: true })).toBeVisible({ timeout: 2 * siteTimeout })
  await back.getByRole('button', { name: 'Close' }).last().click()
  expect(await readFile(changed, 'utf8')).toContain('changed by hand')
  await writeFile(changed, original)
})
