/** Other kinds of sites, a canceled creation, invalid names, and the plan's limit. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { asOwner, blog, expect } from './support/harness-test.ts'
import {
  createSite,
  fillSiteForm,
  inNewTab,
  pressPair,
  siteStatus,
  siteTimeout,
  submitSite,
  tabTo,
} from './support/person.ts'

asOwner('invalid names are reported at the field', async ({ page, site }) => {
  expect(site, 'a name is used already').toBeTruthy()
  await page.goto('/web/site/create')
  await fillSiteForm(page, { name: 'free-name', kind: 'HTML' })
  await expect(page.getByText('Available', { exact: true })).toBeVisible()
  const name = page.getByLabel('Name', { exact: true })
  for (const wrong of [
    '',
    'x'.repeat(300),
    '../../etc',
    `quo"te's`,
    'блог',
    'xn--80abnh6an',
    'www',
    'localhost',
    '*',
    '127.0.0.1',
    'blog.',
    '-edge',
    blog.name,
  ]) {
    await name.fill(wrong)
    await page.getByRole('button', { name: 'Create site' }).click()
    await expect(name, wrong).toHaveAttribute('aria-invalid', 'true')
    await expect(name).toBeFocused()
    await expect(page.getByRole('alert')).toHaveText(/\S{2}/)
    await expect(page).toHaveURL(/\/web\/site\/create$/)
  }
  // What a name can have is converted while typing; the title keeps the letters.
  await name.fill('')
  await name.pressSequentially('Bäckerei Nord')
  await expect(name).toHaveValue('backerei-nord')
  await page.getByRole('radio', { name: /^WordPress/ }).check()
  await expect(page.getByLabel('Site title')).toHaveValue('Bäckerei Nord')
  await name.fill(blog.name)
  await expect(page.getByText('You already have a site with this name.')).toBeVisible()
})

asOwner('a draft survives a reload and can be discarded', async ({ page, owner }) => {
  expect(owner).toBeTruthy()
  await page.goto('/web/site/create')
  await fillSiteForm(page, { name: 'half-done', title: 'Not finished yet' })
  await expect(page.getByText('Draft kept')).toBeVisible()
  await page.reload()
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('half-done')
  await expect(page.getByLabel('Site title')).toHaveValue('Not finished yet')
  await page.getByRole('button', { name: 'Discard draft' }).click()
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('')
  await page.reload()
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('')
})

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

asOwner('an HTML site is created; then the plan is full and the app says so', async ({ page, site, product }) => {
  expect(site, 'there is one site at least').toBeTruthy()
  asOwner.setTimeout(4 * siteTimeout)
  await createSite(page, { name: 'leaflet', kind: 'HTML' })
  await expect(page.getByRole('main').getByText('HTML', { exact: true }).first()).toBeVisible()
  const tab = await inNewTab(page, () => page.getByRole('link', { name: 'Visit' }).click())
  expect(new URL(tab.url()).host).toBe(`leaflet.localhost:${product.port}`)
  await expect(tab.getByText('leaflet').first()).toBeVisible()
  await tab.close()

  await page.goto('/web/site')
  await expect(page.getByRole('row').filter({ hasText: 'leaflet' })).toBeVisible()
  for (let sites = (await page.getByRole('row').count()) - 1; sites < 3; sites += 1) {
    await createSite(page, { name: `filler-${sites}`, kind: 'HTML' })
    await page.goto('/web/site')
  }
  const full = page.getByRole('dialog', { name: 'The plan is full' })
  await page.getByRole('main').getByRole('button', { name: 'Create site' }).click()
  await expect(full).toContainText('3 sites')
  await full.getByRole('button', { name: 'Close' }).last().click()
  await expect(full).toBeHidden()

  // The same message on every entry point for creation: dashboard, shortcuts, search.
  await page.goto('/web/')
  await page.getByRole('main').getByRole('button', { name: 'Create site' }).click()
  await expect(full).toContainText('3 sites')
  await page.keyboard.press('Escape')
  await expect(full).toBeHidden()
  await pressPair(page, 'c', 's')
  await expect(full).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(full).toBeHidden()
  await page.keyboard.press('/')
  await page.getByRole('combobox').fill('create site')
  await page.getByRole('option', { name: 'Create Site' }).click()
  await expect(full).toBeVisible()
  await full.getByRole('button', { name: 'Close' }).last().click()

  await page.goto('/web/site/create')
  await expect(page).toHaveURL(/\/web\/site$/)
  await expect(page.getByText('Your plan has no room for another site.')).toBeVisible()
})
