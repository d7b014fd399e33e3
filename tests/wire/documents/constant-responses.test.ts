import { afterAll, beforeAll, expect, it } from 'vitest'
import { boot, password, type Booted } from '../booted.ts'
import { UserDoctype } from '#shared/doctypes/user.ts'

let booted: Booted
beforeAll(async () => {
  booted = await boot({
    env: {
      TRUSTED_PROXIES: '127.0.0.1,::1',
      EASYDASH_RATE_LIMITS: JSON.stringify({
        login_account: { limit: 5, seconds: 300 },
        login_ip: { limit: 20, seconds: 600 },
        reset_ip: { limit: 100, seconds: 60 },
        reset_account: { limit: 3, seconds: 3600 },
        signup_ip: { limit: 100, seconds: 60 },
        api_user: { limit: 100_000, seconds: 1 },
      }),
    },
  })
  await booted.person('known@example.com')
  await booted.person('closed@example.com')
  await booted.person('waiting@example.com', { verified: false })
  await booted.documents.transaction(booted.system, (tx) =>
    tx.update(UserDoctype, 'closed@example.com', { enabled: 0 }),
  )
})
afterAll(() => booted.close())

/** One address of each kind. */
const addresses = ['known@example.com', 'closed@example.com', 'waiting@example.com', 'nobody@example.com']

/**
 * The parts of a response that must not depend on the address: status, body without the address, headers without time and
 * ids.
 */
async function ask(path: string, body: Record<string, unknown>, email: string, ip = '198.51.100.7') {
  const response = await booted.browser().fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', 'x-forwarded-for': ip },
    body: JSON.stringify(body),
  })
  const text = (await response.text()).replaceAll(email, 'ADDRESS')
  const changing = new Set(['date', 'x-frappe-request-id', 'content-length', 'retry-after'])
  const headers = [...response.headers].filter(([name]) => !changing.has(name))
  return { status: response.status, text: text.replaceAll(/"request_id":"[^"]*"/g, ''), headers, response }
}

async function expectSameResponse(path: string, bodyOf: (email: string, at: number) => Record<string, unknown>) {
  const responses = []
  for (const [at, email] of addresses.entries())
    responses.push(await ask(path, bodyOf(email, at), email, `198.51.100.${at + 10}`))
  const [first] = responses
  for (const response of responses) {
    expect([response.status, response.text, response.headers]).toEqual([first?.status, first?.text, first?.headers])
  }
  return first
}

it('login answers alike for every address when the password is wrong', async () => {
  const response = await expectSameResponse('/api/method/login', (usr) => ({ usr, pwd: 'Wrong-Horse-42!' }))
  expect(response?.status).toBe(401)
})

it('a closed account answers as a wrong password even with the right one', async () => {
  const wrong = await ask(
    '/api/method/login',
    { usr: 'nobody@example.com', pwd: password },
    'nobody@example.com',
    '198.51.100.30',
  )
  const closed = await ask(
    '/api/method/login',
    { usr: 'closed@example.com', pwd: password },
    'closed@example.com',
    '198.51.100.31',
  )
  expect([closed.status, closed.text]).toEqual([wrong.status, wrong.text])
})

it('a forgotten password answers alike for every address', async () => {
  const cmd = 'frappe.core.doctype.user.user.reset_password'
  const response = await expectSameResponse('/', (user) => ({ cmd, user }))
  expect(response?.status).toBe(200)
  await expectSameResponse(`/api/method/${cmd}`, (user) => ({ user }))
})

it('a sign-up answers alike for every address, and signs nobody in', async () => {
  const form = { first_name: 'Ann', password: 'Another-Horse-43!', termsAndCondition: 1 }
  const response = await expectSameResponse('/api/method/easydash.api.account.sign_up', (email) => ({ ...form, email }))
  expect(response?.status).toBe(200)
  expect(response?.headers.some(([name]) => name === 'set-cookie')).toBe(false)
})

it('closes alike for every address after five failures, with the time to wait', async () => {
  for (const [at, email] of ['known@example.com', 'unknown@example.com'].entries()) {
    const ip = `198.51.100.${at + 50}`
    const tries = []
    for (let n = 0; n < 6; n += 1)
      tries.push(await ask('/api/method/login', { usr: email, pwd: 'Wrong-Horse-42!' }, email, ip))
    expect(tries.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 429])
    const last = tries.at(-1)
    expect(Number(last?.response.headers.get('retry-after'))).toBeGreaterThan(200)
    expect(JSON.parse(last?.text ?? '')).toMatchObject({ exc_type: 'RateLimitExceededError' })
    // From there, even the correct password is rejected; from elsewhere, the account can log in.
    expect((await ask('/api/method/login', { usr: email, pwd: password }, email, ip)).status).toBe(429)
  }
  expect(
    (await ask('/api/method/login', { usr: 'known@example.com', pwd: password }, 'known@example.com', '203.0.113.9'))
      .status,
  ).toBe(200)
})
