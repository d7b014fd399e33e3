/** A PHP site, and a canceled creation. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { asOwner, expect } from './support/harness-test.ts'
import { fillSiteForm, inNewTab, pressPair, siteStatus, siteTimeout, submitSite, tabTo } from './support/person.ts'

asOwner('a canceled creation leaves only its job', async ({ page, owner, product }) => {
  expect(owner).toBeTruthy()
  await page.goto('/web/site/create')
  await fillSiteForm(page, { name: 'changed-my-mind' })
  const drawer = await submitSite(page, { name: 'changed-my-mind' })
  const id = new URL(page.url()).pathname.split('/').at(-1)
  await drawer.getByRole('button', { name: 'Cancel job' }).click()

  await expect(page).toHaveURL(/\/web\/site(?:\?|$)/, { timeout: siteTimeout })
  const why = page
    .getByRole('main')
    .getByText(/site was removed|cancell?ed/i)
    .first()
  await expect(why).toBeVisible()
  await expect(page.getByRole('main').getByRole('link', { name: 'changed-my-mind' })).toHaveCount(0)
  await page.getByRole('link', { name: 'Show the job' }).click()
  await expect(page.getByRole('dialog').getByText('Canceled', { exact: true }).first()).toBeVisible()

  // Its page redirects to the list too, and its URL responds as if it had never existed.
  await page.goto(`/web/site/${id}`)
  await expect(page).toHaveURL(/\/web\/site(?:\?|$)/)
  await expect(why).toBeVisible()
  const response = await page.goto(`http://changed-my-mind.localhost:${product.port}/`)
  expect(response?.status()).toBe(404)
  expect(await readdir(join(product.dataDir, 'local', 'sites'))).not.toContain(id)
  // A killed process is listed until the system has ended it.
  await expect
    .poll(async () => (await product.processes()).filter(({ folder }) => folder?.endsWith(`/${id}`)))
    .toEqual([])
})

asOwner('a PHP site is created with the keyboard alone', async ({ page, owner, product }) => {
  expect(owner).toBeTruthy()
  await page.goto('/web')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await pressPair(page, 'c', 's')
  await expect(page).toHaveURL(/\/web\/site\/create$/)
  await expect(page.getByRole('radio', { checked: true, name: /development/i })).toBeAttached()
  await tabTo(page, 'radio', /^WordPress/)
  await page.keyboard.press('ArrowRight')
  await expect(page.getByRole('radio', { name: /^PHP/ })).toBeChecked()
  await tabTo(page, 'textbox', /^Name$/)
  await page.keyboard.type('tools')
  await page.keyboard.press('Control+Enter')
  const drawer = page.getByRole('dialog', { name: 'Create tools' })
  await expect(drawer.getByText('Done', { exact: true })).toBeVisible({ timeout: siteTimeout })
  await page.keyboard.press('Escape')
  await expect(drawer).toBeHidden()
  await expect(siteStatus(page, 'Live')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Open admin' })).toHaveCount(0)
  await tabTo(page, 'link', /^Visit$/)
  const tab = await inNewTab(page, () => page.keyboard.press('Enter'))
  expect(new URL(tab.url()).host).toBe(`tools.localhost:${product.port}`)
  await expect(tab.getByText(/8\.\d/).first()).toBeVisible()
  await tab.close()
})
