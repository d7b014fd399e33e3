/** Archiving a site, and the ways back. */
import { archiveSite, finishJob, openArchiveDialog } from './support/archive-dialog.ts'
import { asOwner, blog, expect } from './support/harness-test.ts'
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
