/** Login with two-factor authentication: with a code, with a recovery code, and not without. */
import type { Page } from '@playwright/test'
import { currentCode, earlyCode } from '#tests/support/totp.ts'
import { passwords } from './support/leak-markers.ts'
import { expect, test } from './support/harness-test.ts'
import { call, forgetSession, loggedIn, logIn, newAccount, type Person } from './support/person.ts'

test.describe.configure({ mode: 'serial' })

const tom: Person = { firstName: 'Tom', lastName: 'Berg', email: 'tom@harbour.example', password: passwords.second }

let secret = ''
let recoveryCodes: string[] = []

/** The first step of the login; ends at the second. */
async function enterPassword(page: Page): Promise<void> {
  await page.goto('/web/login')
  await page.getByLabel('Email').fill(tom.email)
  await page.getByRole('textbox', { name: 'Password' }).fill(tom.password)
  await page.getByRole('button', { name: 'Log in' }).click()
  await expect(page.getByRole('heading', { name: 'Enter your code' })).toBeVisible()
}

test('an account turns on two-factor authentication', async ({ page, owner, product }) => {
  expect(owner, 'the first account exists').toBeTruthy()
  await newAccount(page, product, tom)
  await logIn(page, tom)
  ;({ secret } = await call<{ secret: string }>(page, 'easydash.api.two_factor.begin'))
  const confirmed = await call<{ recovery_codes: string[] }>(page, 'easydash.api.two_factor.confirm', {
    otp: currentCode(secret),
  })
  recoveryCodes = confirmed.recovery_codes
  expect(recoveryCodes).toHaveLength(10)
})

test('logging in requires a code and accepts one from the app', async ({ page }) => {
  await enterPassword(page)
  const code = page.getByRole('textbox', { name: 'Code' })
  await expect(code).toBeFocused()
  await expect(code).toHaveAttribute('autocomplete', 'one-time-code')
  await page.getByRole('button', { name: 'Log in' }).click()
  await expect(page.getByText('Enter the code.')).toBeVisible()
  expect(await page.context().cookies()).toEqual([])
  await code.fill(earlyCode(secret))
  await code.press('Enter')
  await loggedIn(page)
})

test('a wrong code is reported at its field, and a recovery code works once', async ({ page }) => {
  const [one = ''] = recoveryCodes
  await enterPassword(page)
  const code = page.getByRole('textbox', { name: 'Code' })
  await code.fill('000000')
  await code.press('Enter')
  await expect(page.getByText('This code is not right, or was used already.')).toBeVisible()
  await expect(code).toBeFocused()
  await page.getByRole('button', { name: 'Use a recovery code' }).click()
  await page.getByRole('textbox', { name: 'Recovery code' }).fill(one)
  await page.getByRole('button', { name: 'Log in' }).click()
  await loggedIn(page)
  await forgetSession(page)

  await enterPassword(page)
  await page.getByRole('button', { name: 'Use a recovery code' }).click()
  await page.getByRole('textbox', { name: 'Recovery code' }).fill(one)
  await page.getByRole('button', { name: 'Log in' }).click()
  await expect(page.getByText('This recovery code is not right, or was used already.')).toBeVisible()
  await page.getByRole('button', { name: 'Back' }).click()
  await expect(page.getByRole('heading', { name: 'Log in' })).toBeVisible()
})
