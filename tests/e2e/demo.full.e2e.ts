/** `npm run demo`: an installation to try out, with the accounts of docs/operating.md. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, type Page } from '@playwright/test'
import { removePostgres } from '#server/platform/postgres/postgres.ts'
import { watchedTest as test } from './support/console-watch.ts'
import { startProduct } from './support/harness.ts'
import { forgetSession } from './support/person.ts'

const password = 'Correct-Horse-42!'

async function logIn(page: Page, url: string, email: string): Promise<void> {
  await forgetSession(page)
  await page.goto(`${url}/web/login`)
  await page.getByLabel('Email').fill(email)
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Log in' }).click()
}

/** Plans are paid for in the demo: the platform admin can't turn them off, and sees why, the prices and the income. */
async function plansStayOn(page: Page, admin: Page, url: string): Promise<void> {
  const usage = page.getByRole('region', { name: 'Usage' })
  const table = admin.getByRole('table', { name: 'Plans' })
  const plans = admin.getByRole('switch', { name: 'Plans' })
  await page.goto(`${url}/web`)
  await expect(usage).toContainText('5 of 7')
  await logIn(admin, url, 'root@easydash.example')
  await expect(admin).not.toHaveURL(/login/)
  await admin.goto(`${url}/web/platform#plans`)
  await expect(table.getByRole('row', { name: /^Starter/ })).toContainText('€')
  await plans.click()
  const refusal = 'Plans are paid for on this installation. To end that, remove the settings of Stripe and start again.'
  await expect(admin.getByText(refusal, { exact: true })).toBeVisible()
  await expect(plans).toBeEnabled()
  await expect(plans).toBeChecked()
  await expect(table).toBeVisible()
  await admin.getByRole('tab', { name: 'Health' }).click()
  await expect(admin.getByText(/^€\d+ a month$/)).not.toHaveCount(0)
  await admin.close()
  await page.reload()
  await expect(usage).toContainText('5 of 7')
}

test('the demo has its organizations, people and sites', async ({ page, browser }) => {
  test.setTimeout(480_000)
  const product = await startProduct({ script: 'demo' })
  const folder = join(import.meta.dirname, '..', '..', 'demo-data', String(product.port))
  try {
    const { url } = product
    expect(product.setupLink).toBeNull()
    await logIn(page, url, 'owner@acme.example')
    for (const site of ['Acme Studio Journal', 'Acme Studio Shop', 'Harbor Bakery'])
      await expect(page.getByRole('link', { name: site, exact: true })).toBeVisible()
    await expect(page.getByRole('link', { name: 'Globex', exact: true })).toHaveCount(0)
    // The oldest PHP there is for sites: what is outdated without the internet.
    const query = new URLSearchParams({ filters: '[["domain","=","outdated"]]', fields: '["php_version"]' })
    const outdated = await page.request.get(`${url}/api/resource/Site?${query}`)
    expect(await outdated.json()).toMatchObject({ data: [{ php_version: '8.2' }] })
    await page
      .getByRole('link', { name: /^Servers/ })
      .first()
      .click()
    const row = page.getByRole('row', { name: /web-1\.acme\.example/ })
    await expect(row).toContainText('Disconnected')
    await expect(row).toContainText('Nothing answers at')
    await row.getByRole('link', { name: 'web-1.acme.example' }).click()
    const notice = page.getByRole('main').getByText(/^Nothing answers at/)
    await expect(notice).toBeVisible()
    await expect(page.getByRole('main').getByText(/^Since /)).toBeVisible()
    await page.goBack()

    const member = await browser.newPage()
    await logIn(member, url, 'member@acme.example')
    await expect(member.getByRole('link', { name: 'Acme Studio Journal', exact: true })).toBeVisible()
    await expect(member.getByRole('link', { name: 'Acme Studio Shop', exact: true })).toHaveCount(0)
    await member.close()

    for (const [email, path] of [
      ['nobody@example.com', '/web/organization/create'],
      ['unverified@example.com', '/web/verify-email'],
    ] as const) {
      const person = await browser.newPage()
      await logIn(person, url, email)
      await expect(person).toHaveURL(url + path)
      await person.close()
    }

    await plansStayOn(page, await browser.newPage(), url)

    // Made by the product's own jobs since the demo is ready.
    await page.goto(`${url}/web/site`)
    await page.getByRole('link', { name: 'Acme Studio Journal', exact: true }).click()
    await page.getByRole('tab', { name: 'Backup and restore' }).click()
    const backups = page.getByRole('table', { name: /Backups/ })
    await expect(backups.getByText('Proven', { exact: true })).toHaveCount(4, { timeout: 240_000 })
    await expect(backups.getByText('Proof failed')).toHaveCount(1)

    // Seeded asleep; a visit wakes it.
    await page.goto(`http://blog.localhost:${product.port}/`)
    await expect(page).toHaveTitle(/Acme Studio Journal/)
  } finally {
    await product.close()
    await removePostgres(folder)
    await rm(folder, { recursive: true, force: true })
  }
})
