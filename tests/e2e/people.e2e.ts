/** A second user: signup, verification, login, a forgotten password, and missing pages. */
import type { Page } from '@playwright/test'
import { passwords } from './support/leak-markers.ts'
import { ignoreConsoleErrors } from './support/console-watch.ts'
import { ada, expect, test } from './support/harness-test.ts'
import { fillSignup, forgetSession, logIn, mailLink, type Person } from './support/person.ts'

test.describe.configure({ mode: 'serial' })

const ben: Person = { firstName: 'Ben', lastName: 'Cole', email: 'ben@harbour.example', password: passwords.second }

async function logOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Logout' }).click()
  await page.waitForURL('**/web/login**')
}

test('a new user signs up, waits for the verification email, and is signed in by its link', async ({
  page,
  owner,
  product,
  browser,
}) => {
  expect(owner, 'the first account exists').toBeTruthy()
  const from = product.output().length
  await page.goto('/web/signup')
  await fillSignup(page, ben)
  await page.getByRole('button', { name: 'Create account' }).click()
  await expect(page.getByRole('heading', { name: 'Confirm your email' })).toBeVisible()
  await expect(page.getByText(ben.email)).toBeVisible()
  const link = await mailLink(product, ben.email, 'Verify', from)

  await logIn(page, ben)
  await expect(page).toHaveURL(/\/web\/verify-email$/)
  // This product has no mail server.
  await expect(page.getByText(`There is a link for ${ben.email}`)).toBeVisible()
  await page.goto('/web/site/create')
  await expect(page).toHaveURL(/\/web\/verify-email$/)
  await expect(page.getByText('Your account needs to be confirmed first; then everything opens.')).toBeVisible()

  // The link works signed out, once; the waiting page continues by itself.
  const phone = await browser.newPage()
  await phone.goto(link)
  await expect(phone.getByRole('heading', { name: 'Your email is confirmed' })).toBeVisible()
  await expect(page).toHaveURL(/\/web\/organization\/create$/)
  await phone.goto('about:blank')
  await phone.goto(link)
  await expect(phone.getByRole('heading', { name: 'This link does not work' })).toBeVisible()
  await phone.close()
  await logOut(page)
})

test('signing up with a known address looks the same and notifies its owner', async ({ page, product }) => {
  const from = product.output().length
  await page.goto('/web/signup')
  await fillSignup(page, { ...ben, firstName: 'Somebody', email: ada.email })
  await page.getByRole('button', { name: 'Create account' }).click()
  await expect(page.getByRole('heading', { name: 'Confirm your email' })).toBeVisible()
  expect(await mailLink(product, ada.email, 'already have an account', from)).toMatch(/\/web\/login$/)
})

test('a wrong password and an unknown address get the same response', async ({ page }) => {
  await page.goto('/web/login')
  for (const email of [ben.email, 'nobody@harbour.example']) {
    await page.getByLabel('Email').fill(email)
    await page.getByRole('textbox', { name: 'Password' }).fill(passwords.wrong)
    await page.getByRole('button', { name: 'Log in' }).click()
    await expect(page.getByRole('alert').filter({ hasText: 'Email or password is not right.' })).toBeVisible()
    await page.reload()
  }
})

test('a forgotten password is reset by an emailed link; other browsers are logged out', async ({
  page,
  browser,
  product,
}) => {
  const elsewhere = await browser.newPage({ baseURL: product.url })
  await logIn(elsewhere, ben)

  await page.goto('/web/login')
  await page.getByRole('link', { name: 'Forgot password?' }).click()
  // The login page also has a field with this label, and stays until the next page's code is loaded.
  await expect(page.getByRole('heading', { name: 'Forgot password?', level: 1 })).toBeVisible()
  await page.getByLabel('Email').fill('nobody@harbour.example')
  await page.getByRole('button', { name: 'Create link' }).click()
  await expect(page.getByText('If nobody@harbour.example has an account, there is a link.')).toBeVisible()
  const from = product.output().length
  await page.goto('/web/forgot-password')
  await page.getByLabel('Email').fill(ben.email)
  await page.getByRole('button', { name: 'Create link' }).click()
  await expect(page.getByText(`If ${ben.email} has an account, there is a link.`)).toBeVisible()

  const link = await mailLink(product, ben.email, 'new password', from)
  await page.goto(link)
  const password = page.getByRole('textbox', { name: 'New password' })
  await password.fill('kangaroo42')
  await page.getByRole('button', { name: 'Set password' }).click()
  await expect(page.getByText(/easy to guess/).first()).toBeVisible()
  await password.fill(passwords.secondNew)
  await page.getByRole('button', { name: 'Set password' }).click()
  await expect(page.getByText('The new password is set. Log in with it.')).toBeVisible()
  await logIn(page, { ...ben, password: passwords.secondNew })
  await expect(page).toHaveURL(/\/web\/organization\/create$/)

  await elsewhere.reload()
  await expect(elsewhere).toHaveURL(/\/web\/login/)
  await elsewhere.close()
  await forgetSession(page)
  await page.goto(link)
  await expect(page.getByRole('heading', { name: 'This link does not work' })).toBeVisible()
  await expect(password).toHaveCount(0)
})

test('sites of other organizations are not visible', async ({ page, site }) => {
  await logIn(page, { ...ben, password: passwords.secondNew })
  await page.goto('/web/organization/create')
  await page.getByLabel('Name', { exact: true }).fill('Harbour Studio')
  await page.getByRole('button', { name: 'Create organization' }).click()
  await expect(page.getByRole('heading', { name: 'Welcome to Harbour Studio' })).toBeVisible()
  await page.goto(site)
  await expect(page.getByText('This site does not exist')).toBeVisible()
})

test('an unknown path and a crash explain what happened and link back', async ({ page, problems }) => {
  await logIn(page, { ...ben, password: passwords.secondNew })
  await page.goto('/web/no/such/page')
  await expect(page.getByRole('heading', { name: "Sorry, we couldn't find this page." })).toBeVisible()
  await page.getByRole('link', { name: 'Return to Home' }).click()
  await expect(page.getByRole('heading', { name: 'Welcome to Harbour Studio' })).toBeVisible()

  // A screen with a bug.
  const code = /servers-page[^/]*\.js/
  const body = 'export const ServersPage = () => { throw new Error("A defect of this screen") }'
  await page.route(code, (route) => route.fulfill({ contentType: 'text/javascript', body }))
  await page.goto('/web/server')
  await expect(page.getByRole('heading', { name: 'Unexpected Application Error' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Copy details' })).toBeVisible()
  expect(problems.length).toBeGreaterThan(0)
  ignoreConsoleErrors(problems, /A defect of this screen/)
  await page.unroute(code)
  await page.getByRole('button', { name: 'Reload' }).click()
  await expect(page.getByRole('heading', { name: 'Servers', level: 1 })).toBeVisible()
})
