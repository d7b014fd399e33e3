/** The way back from archiving a site. */
import { finishJob, openArchiveDialog } from './support/archive-dialog.ts'
import { asOwner, expect } from './support/harness-test.ts'
import { createSite, siteStatus, siteTimeout } from './support/person.ts'

asOwner.describe.configure({ timeout: 3 * siteTimeout })

asOwner('archiving a site is undone from its message and from the list of jobs', async ({ page, site }) => {
  expect(site, 'another site that stays').toBeTruthy()
  await createSite(page, { name: 'leaflet', kind: 'HTML' })
  await expect(siteStatus(page, 'Live')).toBeVisible()

  // The message of the completed job has an undo button, whether its drawer is open or closed, and is the only one.
  for (const closed of [false, true]) {
    await openArchiveDialog(page)
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
})
