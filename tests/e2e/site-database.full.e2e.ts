/** The database of a WordPress site: chosen at its creation, and moved. */
import { findMysql } from '#server/platform/mysql/find-mysql.ts'
import { mysqlCapability } from '#server/engines/local/mysql/local-mysql.ts'
import { fetchFrom } from '#server/engines/local/engine-fixture.ts'
import { asOwner, expect } from './support/harness-test.ts'
import { fillSiteForm, siteStatus, siteTimeout, submitSite } from './support/person.ts'

asOwner.describe.configure({ timeout: 6 * siteTimeout })
asOwner.use({ actionTimeout: siteTimeout })

const shop = { name: 'shop', title: 'Shop on MySQL' }
const capability = mysqlCapability(await findMysql(), null)

asOwner('the form says which databases there are, and why not', async ({ page }) => {
  await page.goto('/web/site/create')
  await expect(page.getByRole('radio', { name: /^SQLite/ })).toBeChecked()
  const mysql = page.getByRole('radio', { name: /^MySQL or MariaDB/ })
  if (capability.supported) await expect(mysql).toBeEnabled()
  else {
    await expect(mysql).toBeDisabled()
    await expect(page.getByText(capability.reason)).toBeVisible()
  }
  await page.getByRole('radio', { name: /^HTML/ }).check()
  await expect(mysql).toHaveCount(0)
})

asOwner('a site is made on MySQL, says what works there, and moves to SQLite', async ({ page, product }) => {
  asOwner.skip(!capability.supported, 'MariaDB or MySQL is not installed on this machine.')
  const titleOf = async () => {
    const { status, body } = await fetchFrom(product.port, `${shop.name}.localhost:${product.port}`, '/')
    return status === 200 && body.includes(shop.title)
  }
  await page.goto('/web/site/create')
  await fillSiteForm(page, shop)
  await page.getByRole('radio', { name: /^MySQL or MariaDB/ }).check()
  const drawer = await submitSite(page, shop)
  await expect(drawer.getByText('Done', { exact: true })).toBeVisible({ timeout: siteTimeout })
  await drawer.getByRole('button', { name: 'Close' }).last().click()
  expect(await titleOf()).toBe(true)

  const { pathname } = new URL(page.url())
  await page.goto(`${pathname}#database`)
  const tables = page.getByRole('region', { name: 'Tables' })
  await tables.getByRole('button', { name: /^wp_posts/ }).click({ timeout: siteTimeout })
  await expect(page.getByRole('table', { name: 'Rows of wp_posts' }).getByText('Hello world!')).toBeVisible()
  await page.goto(`${pathname}#configurations`)
  const card = page.getByRole('region', { name: 'Database' })
  await expect(card.getByText('MySQL or MariaDB')).toBeVisible()
  await card.getByRole('button', { name: 'Move to SQLite' }).click()
  await page
    .getByRole('alertdialog')
    .or(page.getByRole('dialog'))
    .getByRole('button', { name: 'Move to SQLite' })
    .click()
  await expect(page.getByRole('dialog').getByText('Done', { exact: true }).first()).toBeVisible({
    timeout: siteTimeout,
  })
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
  await expect(siteStatus(page, 'Live')).toBeVisible()
  await expect(card.getByText('SQLite', { exact: true })).toBeVisible()
  await expect(card.getByRole('button', { name: 'Move to MySQL' })).toBeEnabled()
  expect(await titleOf()).toBe(true)
})
