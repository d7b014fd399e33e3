import { afterAll, beforeAll, expect, it } from 'vitest'
import { currentCode, earlyCode } from '#tests/support/totp.ts'
import { boot, password, type Booted } from '../booted.ts'
import { sdkError, type Browser } from '../browser.ts'
import { OrganizationMemberDoctype } from '#shared/doctypes/organization-member.ts'

let booted: Booted
let ann: Browser
let secret: string

beforeAll(async () => {
  booted = await boot()
  await booted.person('ann@example.com')
  ann = await booted.signedIn('ann@example.com')
  const begun = await ann.app.call().post<{ message: { secret: string } }>('easydash.api.two_factor.begin')
  ;({ secret } = begun.message)
  await ann.app.call().post('easydash.api.two_factor.confirm', { otp: currentCode(secret) })
})
afterAll(async () => {
  await booted.close()
  expect(booted.logged).toEqual([])
})

async function login(body: Record<string, unknown>) {
  const browser = booted.browser()
  const response = await browser.fetch('/api/method/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { browser, status: response.status, body: (await response.json()) as Record<string, unknown> }
}

it('asks for a code in the shape of the protocol, and starts no session', async () => {
  const { browser, status, body } = await login({ usr: 'ann@example.com', pwd: password })
  expect(status).toBe(200)
  expect(body).toEqual({
    verification: { method: 'OTP App', setup: true, prompt: expect.any(String) as string, token_delivery: true },
    tmp_id: expect.stringMatching(/^[A-Za-z0-9]{8}$/) as string,
  })
  expect(browser.cookies.has('sid')).toBe(false)
})

it('lets the real SDK in with otp and tmp_id', async () => {
  const browser = booted.browser()
  const first = (await browser.app
    .auth()
    .loginWithUsernamePassword({ username: 'ann@example.com', password })) as unknown as { tmp_id: string }
  const second = await browser.app
    .auth()
    .loginWithUsernamePassword({ otp: earlyCode(secret), tmp_id: first.tmp_id } as never)
  expect(second).toMatchObject({ message: 'Logged In', home_page: '/web', full_name: 'Test Person' })
  expect(await browser.app.auth().getLoggedInUser()).toBe('ann@example.com')
})

it('refuses wrong codes and unknown attempts with 401 and the words of the protocol', async () => {
  const { body } = await login({ usr: 'ann@example.com', pwd: password })
  const wrong = await login({ otp: '000000', tmp_id: body['tmp_id'] })
  expect(wrong).toMatchObject({
    status: 401,
    body: { message: 'Incorrect Verification code', exc_type: 'AuthenticationError' },
  })
  for (const tmp_id of ['AAAAAAAA', 'x', body['tmp_id'] + 'x']) {
    expect(await login({ otp: '123456', tmp_id })).toMatchObject({
      status: 401,
      body: { message: 'Login session expired, refresh page to retry', exc_type: 'AuthenticationError' },
    })
  }
  for (const otp of [undefined, '', '٠٠٠٠٠٠', '1'.repeat(139)])
    expect((await login({ otp, tmp_id: body['tmp_id'] })).status).toBe(401)
  for (const otp of [[1], { a: 1 }]) expect((await login({ otp, tmp_id: body['tmp_id'] })).status).toBe(417)
})

it('says nothing about the second factor to who does not know the password', async () => {
  await booted.person('bob@example.com')
  const responses = await Promise.all(
    ['ann@example.com', 'bob@example.com', 'nobody@example.com'].map((usr) => login({ usr, pwd: 'Wrong-Horse-42!' })),
  )
  for (const { status, body } of responses) {
    expect(status).toBe(401)
    expect(body).toEqual(responses[0]?.body)
  }
})

it('does not ask API tokens', async () => {
  await booted.organization('acme', {})
  await booted.documents.transaction(booted.system, (tx) =>
    tx.insert(OrganizationMemberDoctype, {
      parent: 'acme',
      parenttype: 'Organization',
      parentfield: 'members',
      user: 'ann@example.com',
      organization_role: 'Organization User',
    }),
  )
  const made = await ann.app.call().post<{ message: { token: string } }>('easydash.api.tokens.create', {
    title: 'x',
    scopes: ['sites:read'],
    organization: 'acme',
  })
  const response = await fetch(new URL('/api/method/frappe.auth.get_logged_user', booted.url), {
    headers: { authorization: `token ${made.message.token}` },
  })
  expect(await response.json()).toEqual({ message: 'ann@example.com' })
  expect((await sdkError(booted.browser().app.call().get('easydash.api.two_factor.status'))).httpStatus).toBe(403)
})
