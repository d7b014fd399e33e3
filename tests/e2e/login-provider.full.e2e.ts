/** An owner sets up the login provider of an organization, and a member logs in with it: a real provider, a real browser. */
import { AxeBuilder } from '@axe-core/playwright'
import type { BrowserContext, Page } from '@playwright/test'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testCertificate } from '#server/platform/network/test-certificate.ts'
import { providerHost, startOpenidProvider } from '#tests/support/openid-provider.ts'
import { watchedTest as test } from './support/console-watch.ts'
import { expect } from './support/harness-test.ts'
import { findBrowser } from './support/harness-browser.ts'
import { freePort, startProduct, type Product } from './support/harness.ts'
import { call, createFirstAccount, createOrganization, newAccount, type Person } from './support/person.ts'
import { tooSmall, tooWide } from './support/screen-sizes.ts'

const ada: Person = { firstName: 'Ada', lastName: 'Berg', email: 'ada@fernhill.example', password: 'walnut-Harbour-19' }
const vera: Person = {
  firstName: 'Vera',
  lastName: 'Holm',
  email: 'vera@fernhill.example',
  password: 'fjord-Lantern-73',
}

// Known before the browser starts, which is told where the provider's name leads.
const providerPort = await freePort()
const program = await findBrowser()

test.use({
  ignoreHTTPSErrors: true,
  launchOptions: {
    executablePath: program.executablePath,
    env: { ...process.env, ...program.env },
    chromiumSandbox: false,
    args: [
      '--font-render-hinting=none',
      '--disable-gpu',
      `--host-resolver-rules=MAP ${providerHost}:443 127.0.0.1:${providerPort}`,
    ],
  },
})

/** A member by invitation, whose account is confirmed; the page ends logged out. */
async function member(office: Page, page: Page, product: Product): Promise<void> {
  const [{ name }] = await call<[{ name: string }]>(office, 'easydash.api.organization.invite_members', {
    users: [vera.email],
  })
  const copy = { dt: 'Member Invite', dn: name, method: 'copy_link' }
  const { link } = await call<{ link: string }>(office, 'run_doc_method', copy)
  await newAccount(page, product, vera, new URL(link).searchParams.get('token'))
}

/** Accessible at this width, and on a dark phone. */
async function looksRight(page: Page, heading: string): Promise<void> {
  await expect(page.getByRole('heading', { name: heading })).toBeVisible()
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([])
  const phone = await page
    .context()
    .browser()
    ?.newContext({
      ...{ storageState: await page.context().storageState(), viewport: { width: 390, height: 844 } },
      ...{ hasTouch: true, isMobile: true, ignoreHTTPSErrors: true },
    })
  if (!phone) throw new Error('There is no browser.')
  await phone.addInitScript(() => localStorage.setItem('darkMode', 'true'))
  const small = await phone.newPage()
  await small.goto(page.url())
  await expect(small.getByRole('heading', { name: heading })).toBeVisible()
  await expect(small.locator('.skeleton, [aria-busy=true]')).toHaveCount(0)
  expect(await tooWide(small)).toEqual([])
  expect(await tooSmall(small)).toEqual([])
  expect((await new AxeBuilder({ page: small }).analyze()).violations).toEqual([])
  await phone.close()
}

test('an owner sets up a login provider, and a member logs in with it, is unlinked, and is refused', async ({
  browser,
}) => {
  // Nine looks for accessibility, and a product of its own.
  test.slow()
  const authority = join(tmpdir(), `easydash-authority-${providerPort}.pem`)
  await writeFile(authority, testCertificate.cert)
  const product = await startProduct({
    env: {
      NODE_EXTRA_CA_CERTS: authority,
      EASYDASH_ADDRESS_MAP: JSON.stringify({ [`${providerHost}:443`]: `127.0.0.1:${providerPort}` }),
    },
  })
  const redirectUri = `${product.url}/web/sso/callback`
  const provider = await startOpenidProvider(redirectUri, { port: providerPort })
  provider.people.set('vera', { email: vera.email, email_verified: true })
  provider.people.set('stranger', { email: 'stranger@fernhill.example', email_verified: true })
  const contexts: BrowserContext[] = []
  const newPage = async () => {
    const context = await browser.newContext({ baseURL: product.url, ignoreHTTPSErrors: true })
    contexts.push(context)
    return context.newPage()
  }
  try {
    const office = await newPage()
    const page = await newPage()
    await createFirstAccount(office, product.setupLink ?? '', ada)
    await createOrganization(office, 'Fernhill Web')
    await page.goto('/web/login')
    await expect(page.getByRole('link', { name: 'Log in with your organization' })).toBeHidden()
    await member(office, page, product)

    await office.goto('/web/organization#auth')
    const form = office.getByRole('form', { name: 'Login provider' })
    await expect(form.getByText(redirectUri)).toBeVisible()
    await form.getByLabel('Issuer').fill(provider.issuer)
    await form.getByLabel('Client ID').fill(provider.clientId)
    await form.getByRole('textbox', { name: 'Client secret' }).fill('wrong')
    await form.getByLabel('Email domains').fill('fernhill.example')
    await form.getByRole('button', { name: 'Test' }).click()
    await expect(form.getByText('The provider doesn’t accept the client ID or the client secret.')).toBeVisible()
    await form.getByRole('textbox', { name: 'Client secret' }).fill(provider.clientSecret)
    await form.getByRole('button', { name: 'Test' }).click()
    await expect(form.getByText('https://hooks.test answers and accepts the client ID and secret.')).toBeVisible()
    await form.getByRole('button', { name: 'Save' }).click()
    const address = office.getByText(/\/web\/sso\/[a-z2-9]{16}$/)
    await expect(address).toBeVisible()
    const url = (await address.textContent()) ?? ''
    await expect(office.getByText('Nobody has logged in through the provider yet.')).toBeVisible()
    await looksRight(office, 'Linked members')

    await page.goto('/web/login?next=%2Forganization%2Fcreate')
    await page.getByRole('link', { name: 'Log in with your organization' }).click()
    await page.getByRole('button', { name: 'Next' }).click()
    await expect(page.getByText('Enter the login address of your organization.')).toBeVisible()
    await looksRight(page, 'Log in with your organization')
    await page.getByLabel('Login address').fill('nosuchaddress')
    await page.getByRole('button', { name: 'Next' }).click()
    await expect(page.getByRole('heading', { name: 'This login address does not work' })).toBeVisible()
    await page.goto(url)
    await looksRight(page, 'Log in with your organization')
    await page.getByRole('button', { name: 'Continue at hooks.test' }).click()
    await page.getByLabel('Account').fill('vera')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.waitForURL((at) => at.origin === product.url && !at.pathname.startsWith('/web/sso'))
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    expect(await call(page, 'frappe.auth.get_logged_user')).toBe(vera.email)

    await office.reload()
    await expect(office.getByText(vera.email)).toBeVisible()
    await office.getByRole('button', { name: `Unlink ${vera.email}…` }).click()
    await office.getByRole('alertdialog').getByRole('button', { name: 'Unlink' }).click()
    await expect(office.getByText('Nobody has logged in through the provider yet.')).toBeVisible()
    // Their session ended with the link.
    await page.waitForURL('**/web/login*')

    // Everybody else is refused, and told what to do.
    const other = await newPage()
    await other.goto(url)
    await other.getByRole('button', { name: 'Continue at hooks.test' }).click()
    await other.getByLabel('Account').fill('stranger')
    await other.getByRole('button', { name: 'Continue' }).click()
    await expect(other.getByRole('heading', { name: 'You are not logged in' })).toBeVisible()
    await expect(other.getByText(/No member of this organization has the email address stranger@/)).toBeVisible()
    await looksRight(other, 'You are not logged in')
    await other.getByRole('link', { name: 'Start again' }).click()
    await expect(other.getByRole('button', { name: 'Continue at hooks.test' })).toBeVisible()
    const third = await newPage()
    await third.goto(url)
    await third.getByRole('button', { name: 'Continue at hooks.test' }).click()
    await third.getByRole('button', { name: 'Cancel' }).click()
    await expect(third.getByText('The provider did not let you in.')).toBeVisible()
    // An answer in another browser tab is worth nothing.
    await page.goto('/web/sso/callback?code=x&state=y')
    await expect(page.getByText('This login was not started in this browser tab.')).toBeVisible()
  } finally {
    for (const context of contexts) await context.close()
    await product.close()
    await provider.close()
  }
})
