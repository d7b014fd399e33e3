/** One user, two tabs and two organizations: changes in one tab apply to the other. */
import type { BrowserContext, Page } from '@playwright/test'
import { passwords } from './support/leak-markers.ts'
import { expect, test } from './support/harness-test.ts'
import {
  call,
  fillSiteForm,
  grantThisMachine,
  logIn,
  newAccount,
  siteTimeout,
  submitSite,
  withoutTours,
  type Person,
} from './support/person.ts'

test.describe.configure({ mode: 'serial' })

const tia: Person = { firstName: 'Tia', lastName: 'Moss', email: 'tia@twotabs.example', password: passwords.second }
const [harbour, orchard] = ['Tia Harbour', 'Tia Orchard'] as const

/** One browser for the whole story. */
let context: BrowserContext
let one: Page
let two: Page

test.beforeAll(async ({ browser, owner, product, recording }) => {
  expect(owner, 'the first account exists').toBeTruthy()
  context = await browser.newContext({ baseURL: product.url })
  recording.follow(context)
  one = await context.newPage()
  await newAccount(one, product, tia)
  await logIn(one, tia)
  for (const title of [harbour, orchard])
    await call(one, 'frappe.client.insert', {
      doc: { doctype: 'Organization', title, slug: title.toLowerCase().replace(' ', '-') },
    })
  await withoutTours(one, tia)
  const office = await browser.newPage({ baseURL: product.url, storageState: owner })
  await office.goto('/web/terms')
  await grantThisMachine(office, 'tia-orchard')
  await office.close()
  two = await context.newPage()
})

test.afterAll(() => context.close())

const switcher = (page: Page, title: string) => page.getByRole('button', { name: `Organization: ${title}` })
const nameField = (page: Page) => page.getByLabel('Name', { exact: true })

async function openSettings(page: Page, title: string): Promise<void> {
  await page.goto('/web/organization')
  await expect(nameField(page)).toHaveValue(title)
}

async function switchTo(page: Page, from: string, to: string): Promise<void> {
  await switcher(page, from).click()
  await page.getByRole('option', { name: to }).click()
  await expect(switcher(page, to)).toBeVisible()
}

test('switching organizations also switches the other tab, and no input reaches the wrong one', async () => {
  await openSettings(one, orchard)
  await two.goto('/web/site')
  await switchTo(two, orchard, harbour)
  await expect(switcher(one, harbour)).toBeVisible()
  await expect(one.getByText(/^You work in this organization now/)).toBeVisible()
  await expect(one).toHaveURL(/\/web\/?$/)

  // With unsaved changes the tab asks, and switches back if told to.
  await openSettings(one, harbour)
  await nameField(one).fill('Tia Harbour North')
  await switchTo(two, harbour, orchard)
  const question = one.getByRole('alertdialog', { name: `You work in ${orchard} now` })
  await question.getByRole('button', { name: `Back to ${harbour}` }).click()
  await expect(question).toBeHidden()
  await expect(switcher(two, harbour)).toBeVisible()
  await expect(nameField(one)).toHaveValue('Tia Harbour North')

  // Or it switches too, and discards the input.
  await switchTo(two, harbour, orchard)
  await question.getByRole('button', { name: `Go on in ${orchard}` }).click()
  await expect(switcher(one, orchard)).toBeVisible()
  await openSettings(one, orchard)
})

test('the same field edited in both tabs: the second to save decides', async () => {
  await openSettings(one, orchard)
  await openSettings(two, orchard)
  await nameField(two).fill('Orchard Two')
  await nameField(one).fill('Orchard One')
  await one.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(one.getByText('Saved', { exact: true })).toBeVisible()

  await expect(two.getByText('Orchard One').first()).toBeVisible()
  await two.getByRole('button', { name: 'Keep mine' }).click()
  await two.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(two.getByText('Saved', { exact: true })).toBeVisible()
  await expect(nameField(one)).toHaveValue('Orchard Two')
})

test('a row created in one tab appears and changes in the other', async () => {
  await one.goto('/web/site')
  await expect(one.getByText('No sites yet')).toBeVisible()
  await two.goto('/web/site/create')
  await fillSiteForm(two, { name: 'tia-pages', title: 'Tia pages', kind: 'HTML' })
  await submitSite(two, { name: 'tia-pages', title: 'Tia pages' })
  const row = one.getByRole('row').filter({ hasText: 'tia-pages' })
  await expect(row).toBeVisible()
  await expect(row.getByText('Live', { exact: true })).toBeVisible({ timeout: siteTimeout })
})

test('a form survives a session ended elsewhere and the new login', async ({ browser, product }) => {
  await openSettings(one, 'Orchard Two')
  await nameField(one).fill('Orchard Three')
  await expect(one.getByText('1 unsaved change')).toBeVisible()
  await two.goto('about:blank')
  const phone = await browser.newPage({ baseURL: product.url })
  await logIn(phone, tia)
  await call(phone, 'easydash.api.sessions.end_others')
  await phone.close()

  await one.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(one).toHaveURL(/\/web\/login\?next=%2Forganization$/)
  await expect(one.getByText('You were logged out. Log in to go on where you were.')).toBeVisible()
  await one.getByLabel('Email').fill(tia.email)
  await one.getByRole('textbox', { name: 'Password' }).fill(tia.password)
  await one.getByRole('button', { name: 'Log in' }).click()
  await expect(nameField(one)).toHaveValue('Orchard Three')
  await one.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(one.getByText('Saved', { exact: true })).toBeVisible()
})

test('logging out in one tab logs out the other, which returns to its page after login', async () => {
  await one.goto('/web/site')
  await expect(one.getByRole('heading', { level: 1, name: 'Sites' })).toBeVisible()
  await openSettings(two, 'Orchard Three')
  await nameField(two).fill('Not for the next person')
  await expect(two.getByText('1 unsaved change')).toBeVisible()

  await one.getByRole('button', { name: 'User menu' }).click()
  await one.getByRole('menuitem', { name: 'Logout' }).click()
  await expect(one).toHaveURL(/\/web\/login$/)
  await expect(two).toHaveURL(/\/web\/login\?next=%2Forganization$/)
  await expect(two.getByText('You were logged out. Log in to go on where you were.')).toBeVisible()
  expect(await two.evaluate('JSON.stringify({ ...sessionStorage })')).not.toContain('Not for the next person')
})
