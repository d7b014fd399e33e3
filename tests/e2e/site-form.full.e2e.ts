/** An HTML site, invalid names, drafts, and the plan’s limit. */
import { asOwner, blog, expect } from './support/harness-test.ts'
import { createSite, fillSiteForm, inNewTab, pressPair, siteTimeout } from './support/person.ts'

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
    await expect(page.getByRole('alert').first()).toHaveText(/\S{2}/)
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
    await createSite(page, { name: `filler-${sites}`, title: `Filler ${sites}`, kind: 'HTML' })
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
