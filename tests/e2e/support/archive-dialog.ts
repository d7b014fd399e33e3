/** Archiving a site from its page. */
import type { Page } from '@playwright/test'
import { expect } from './harness-test.ts'
import { siteStatus, siteTimeout } from './person.ts'

/** Requests archiving on the site's page, without a backup. It can be undone, so one click confirms it. */
export async function openArchiveDialog(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: /^Archive/ }).click()
  const dialog = page.getByRole('alertdialog', { name: /^Archive / })
  await expect(dialog.getByRole('textbox')).toHaveCount(0)
  await dialog.getByRole('checkbox', { name: /^Back up first/ }).uncheck()
  await dialog.getByRole('button', { name: 'Archive', exact: true }).click()
}

/** Waits until the job in the automatically opened drawer is done, and closes it. */
export async function finishJob(page: Page): Promise<void> {
  const drawer = page.getByRole('dialog')
  await expect(drawer.getByText('Done', { exact: true })).toBeVisible({ timeout: siteTimeout })
  await drawer.getByRole('button', { name: 'Close' }).last().click()
  await expect(drawer).toBeHidden()
}

/** Archives the site from its page. */
export async function archiveSite(page: Page): Promise<void> {
  await openArchiveDialog(page)
  await finishJob(page)
  await expect(siteStatus(page, 'Archived')).toBeVisible()
}
