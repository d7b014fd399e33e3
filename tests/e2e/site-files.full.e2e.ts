/** The files of a plain site: edit and see it live, upload a folder, pack and unpack, delete and undo. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { asOwner, expect } from './support/harness-test.ts'
import { expectValidLayout } from './support/looks.ts'
import { createSite, siteTimeout } from './support/person.ts'

asOwner.describe.configure({ timeout: 3 * siteTimeout })

const file = (page: Page, name: string) =>
  page.getByRole('table', { name: 'Files' }).getByRole('button', { name, exact: true })
const menuOf = (page: Page, name: string) => page.getByRole('button', { name: `Actions for ${name}` })

asOwner('files of an HTML site are edited, uploaded, packed, deleted and restored', async ({ page, site, product }) => {
  expect(site, 'another site that stays').toBeTruthy()
  await createSite(page, { name: 'brochure', kind: 'HTML' })
  const front = `http://brochure.localhost:${product.port}`
  await page.getByRole('tab', { name: 'Files' }).click()

  // Edit the homepage and see it live.
  await file(page, 'index.html').click()
  const editor = page.getByRole('textbox', { name: 'Content of index.html' })
  await expect(editor).toBeFocused()
  await expect(editor).toContainText(/brochure/i)
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.press('Delete')
  await page.keyboard.insertText(
    '<!doctype html>\n<html lang="en"><title>New page</title><h1>Edited here</h1></html>\n',
  )
  await expect(page.getByText('Unsaved changes')).toBeVisible()
  await page.getByRole('tab', { name: 'Overview' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Keep editing' }).click()
  await page.keyboard.press('ControlOrMeta+s')
  await expect(page.getByText('Saved', { exact: true })).toBeVisible()
  await expectValidLayout(page)
  const visitor = await page.context().newPage()
  await visitor.goto(front)
  await expect(visitor.getByRole('heading', { name: 'Edited here' })).toBeVisible()
  await page.getByRole('button', { name: 'Back to files' }).click()

  // Upload a folder with a file in a folder.
  const source = await mkdtemp(join(tmpdir(), 'upload-'))
  try {
    await mkdir(join(source, 'photos', 'summer'), { recursive: true })
    await writeFile(join(source, 'photos', 'list.txt'), 'one file')
    await writeFile(join(source, 'photos', 'summer', 'lake.txt'), 'a lake')
    await page.getByLabel('Folder', { exact: true }).setInputFiles(join(source, 'photos'))
    await expect(page.getByText('2 of 2 files')).toBeVisible()
  } finally {
    await rm(source, { recursive: true })
  }
  await file(page, 'photos').click()
  await expect(file(page, 'list.txt')).toBeVisible()
  await file(page, 'summer').click()
  await expect(file(page, 'lake.txt')).toBeVisible()
  expect(await (await visitor.goto(`${front}/photos/summer/lake.txt`))?.text()).toBe('a lake')
  await page.getByRole('navigation', { name: 'Path' }).getByRole('button', { name: 'Site' }).click()

  // Compress the folder, upload the archive and extract it under another name.
  const started = page.waitForEvent('download')
  await menuOf(page, 'photos').click()
  await page.getByRole('menuitem', { name: 'Download as ZIP' }).click()
  const archive = await (await started).path()
  await page
    .getByLabel('Files', { exact: true })
    .and(page.locator('input'))
    .setInputFiles({
      name: 'copy.zip',
      mimeType: 'application/zip',
      buffer: await readFile(archive),
    })
  await menuOf(page, 'copy.zip').click()
  await page.getByRole('menuitem', { name: 'Extract' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Extract' }).click()
  const drawer = page.getByRole('dialog')
  await expect(drawer.getByText('Done', { exact: true })).toBeVisible({ timeout: siteTimeout })
  await drawer.getByRole('button', { name: 'Close' }).last().click()
  await file(page, 'copy').click()
  await file(page, 'photos').click()
  await expect(file(page, 'list.txt')).toBeVisible()
  await page.getByRole('navigation', { name: 'Path' }).getByRole('button', { name: 'Site' }).click()

  // Pack it inside the site.
  await menuOf(page, 'photos').click()
  await page.getByRole('menuitem', { name: 'Compress', exact: true }).click()
  const packing = page.getByRole('dialog')
  await expect(packing.getByLabel('Name of the archive')).toHaveValue('photos.zip')
  await packing.getByRole('button', { name: 'Compress', exact: true }).click()
  await expect(drawer.getByText('Done', { exact: true })).toBeVisible({ timeout: siteTimeout })
  await drawer.getByRole('button', { name: 'Close' }).last().click()
  await expect(file(page, 'photos.zip')).toBeVisible()

  // Delete by keyboard, and undo.
  await file(page, 'photos').focus()
  await page.keyboard.press('Delete')
  await expect(file(page, 'photos')).toHaveCount(0)
  // It stays while the pointer is on it.
  await page.getByRole('button', { name: 'Undo' }).hover()
  expect((await visitor.goto(`${front}/photos/list.txt`))?.status()).toBe(404)
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(file(page, 'photos')).toBeVisible()
  expect((await visitor.goto(`${front}/photos/list.txt`))?.status()).toBe(200)
  await expectValidLayout(page)
  await visitor.close()
})
