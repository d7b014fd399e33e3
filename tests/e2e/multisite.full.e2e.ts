/** Networks of sites: one is created, gets a second site and another domain; and a single site becomes one. */
import { fetchFrom } from '#server/engines/local/engine-fixture.ts'
import { asOwner, expect } from './support/harness-test.ts'
import { expectValidLayout } from './support/looks.ts'
import { createSite, fillSiteForm, inNewTab, siteStatus, siteTimeout, submitSite } from './support/person.ts'
import { tooWide } from './support/screen-sizes.ts'

asOwner.describe.configure({ timeout: 5 * siteTimeout })
asOwner.use({ actionTimeout: siteTimeout })

asOwner('a network gets a second site, and both answer under another domain', async ({ page, product }) => {
  const { port } = product
  const titleOf = async (host: string, path: string): Promise<string | undefined> => {
    const { status, body } = await fetchFrom(port, `${host}:${port}`, path)
    return status === 200 ? /<title>(.*?)<\/title>/.exec(body)?.[1] : String(status)
  }
  const site = { name: 'bakery', title: 'The bakery' }
  await page.goto('/web/site/create')
  await fillSiteForm(page, site)
  const kind = page.getByLabel('Multisite', { exact: true })
  // The server says why it can't run the other kind.
  await expect(page.getByText(/Networks with subdomains need a wildcard name/)).toBeVisible()
  await expect(kind.getByRole('option', { name: 'Network with subdomains' })).toBeDisabled()
  await kind.selectOption({ label: 'Network with subdirectories' })
  const creation = await submitSite(page, site)
  await expect(creation.getByText('Done', { exact: true })).toBeVisible({ timeout: siteTimeout })
  await creation.getByRole('button', { name: 'Close' }).last().click()
  await expect(siteStatus(page, 'Live')).toBeVisible()

  await page.getByRole('tab', { name: 'WordPress' }).click()
  const network = page.getByRole('region', { name: 'Network' })
  await expect(network.getByText('First site')).toBeVisible()
  await network.getByRole('button', { name: 'Add site…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add a site to the network' })
  await dialog.getByLabel(/^Path/).fill('Shop!')
  await dialog.getByLabel(/^Title/).fill('The shop')
  await dialog.getByRole('button', { name: 'Add site' }).click()
  await expect(dialog.getByText('Enter lowercase letters, digits and hyphens.')).toBeVisible()
  await dialog.getByLabel(/^Path/).fill('sample-page')
  await dialog.getByRole('button', { name: 'Add site' }).click()
  await expect(dialog.getByText(/The path is taken/)).toBeVisible()
  await dialog.getByLabel(/^Path/).fill('shop')
  await dialog.getByRole('button', { name: 'Add site' }).click()
  await expect(dialog).toBeHidden()
  await expect(network.getByText('The shop')).toBeVisible()
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await tooWide(page)).toEqual([])
  await expectValidLayout(page)
  await page.setViewportSize({ width: 1440, height: 900 })
  const everywhere = page.getByRole('region', { name: 'Themes' }).getByRole('switch', { name: 'Enabled for all sites' })
  const wasEnabled = await everywhere.first().isChecked()
  await everywhere.first().click()
  await expect(everywhere.first()).toBeChecked({ checked: !wasEnabled })

  const shop = await inNewTab(page, () => network.getByRole('link', { name: /\/shop\/$/ }).click())
  await expect(shop).toHaveTitle(/^The shop/)
  await shop.close()
  const admin = await inNewTab(page, () => network.getByRole('button', { name: 'Open network admin' }).click())
  await admin.waitForURL('**/wp-admin/network/')
  await admin.goto(`http://bakery.localhost:${port}/shop/wp-admin/`)
  await expect(admin.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeVisible()
  await admin.close()

  await page.getByRole('tab', { name: 'Configurations' }).click()
  await page.getByRole('region', { name: 'Domains' }).getByRole('button', { name: 'Change…' }).click()
  const domain = page.getByRole('dialog', { name: 'Change the primary domain' })
  await domain.getByLabel(/New primary domain/).fill('baker')
  await domain.getByRole('button', { name: 'Show what changes' }).click()
  await expect(domain.getByRole('row', { name: /^wp_blogs/ })).toBeVisible()
  await domain.getByRole('button', { name: 'Change domain' }).click()
  const change = page.getByRole('dialog')
  await expect(change.getByText('Done', { exact: true }).first()).toBeVisible({ timeout: siteTimeout })
  await change.getByRole('button', { name: 'Close' }).last().click()
  await expect(siteStatus(page, 'Live')).toBeVisible()
  expect(await titleOf('baker.localhost', '/')).toBe('The bakery')
  expect(await titleOf('baker.localhost', '/shop/')).toMatch(/^The shop/)
  expect(await fetchFrom(port, `bakery.localhost:${port}`, '/shop/')).toMatchObject({
    status: 301,
    headers: { location: `http://baker.localhost:${port}/shop/` },
  })

  await page.getByRole('tab', { name: 'WordPress' }).click()
  await network.getByRole('button', { name: 'More actions for The shop' }).click()
  await page.getByRole('menuitem', { name: 'Delete…' }).click()
  const deletion = page.getByRole('alertdialog', { name: 'Delete The shop?' })
  await deletion.getByRole('textbox').fill('/shop/')
  await deletion.getByRole('button', { name: 'Delete site' }).click()
  // While it is open, nothing below it has a role.
  await expect(deletion).toBeHidden()
  await expect(network.getByText('The shop')).toBeHidden()
  expect(await titleOf('baker.localhost', '/shop/')).toBe('404')
})

asOwner('a single site becomes a network once its name was typed', async ({ page }) => {
  await createSite(page, { name: 'solo', title: 'Solo' })
  await page.getByRole('tab', { name: 'WordPress' }).click()
  await page.getByRole('button', { name: 'Turn on multisite' }).click()
  const question = page.getByRole('alertdialog', { name: /^Turn on multisite for / })
  await expect(question.getByText(/can’t easily become a single site again/)).toBeVisible()
  await question.getByRole('textbox').fill('solo')
  await question.getByRole('button', { name: 'Turn on multisite' }).click()
  const drawer = page.getByRole('dialog')
  await expect(drawer.getByText('Done', { exact: true }).first()).toBeVisible({ timeout: siteTimeout })
  await drawer.getByRole('button', { name: 'Close' }).last().click()
  await expect(page.getByRole('region', { name: 'Network' }).getByText('First site')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Turn on multisite' })).toBeHidden()
})
