/** Limits and headers with the default settings. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defaultRateLimits } from '#server/platform/rate-limits.ts'
import { boot, password, type Booted } from '../booted.ts'
import { ask, askThroughProxy, type RawResponse } from '../raw.ts'

let booted: Booted
beforeAll(async () => {
  booted = await boot({
    env: { EASYDASH_RATE_LIMITS: '{}', TRUSTED_PROXIES: '127.0.0.0/8', EASYDASH_URL: 'https://dash.example' },
  })
  await booted.organization('acme')
  for (const name of ['ann', 'bob', 'eve']) await booted.person(`${name}@example.com`)
})
afterAll(() => booted?.close())

let address = 0
/** An unused address. */
const newIp = () => `198.51.100.${(address += 1)}`

/** A call from an address, as forwarded by the proxy. */
const call = (ip: string, path: string, params?: Record<string, unknown>): Promise<RawResponse> =>
  askThroughProxy(booted.port, ip, path, params)

const login = (ip: string, usr: string, pwd: string) => call(ip, '/api/method/login', { usr, pwd })

/** Expects a 429 with a retry time within the window. */
function expectRateLimited(response: RawResponse, seconds: number): void {
  expect(response.status).toBe(429)
  expect(JSON.parse(response.body)).toMatchObject({ code: 'rate_limited' })
  const wait = Number(response.headers['retry-after'])
  expect(wait).toBeGreaterThan(0)
  expect(wait).toBeLessThanOrEqual(seconds)
}

describe('limits', () => {
  it('are those of docs/security.md', () => {
    expect(defaultRateLimits).toMatchObject({
      login_account: { limit: 5, seconds: 5 * 60 },
      login_ip: { limit: 20, seconds: 10 * 60 },
      reset_account: { limit: 3, seconds: 3600 },
      signup_ip: { limit: 5, seconds: 3600 },
      invite_organization: { limit: 50, seconds: 24 * 3600 },
      api_user: { limit: 600, seconds: 60 },
    })
  })

  it('logins: five failures of an account from one address; right ones are not counted', async () => {
    const ip = newIp()
    for (let n = 0; n < 7; n += 1) expect((await login(ip, 'ann@example.com', password)).status).toBe(200)
    for (let n = 0; n < 5; n += 1) expect((await login(ip, 'ann@example.com', `wrong ${n}`)).status).toBe(401)
    expectRateLimited(await login(ip, 'ann@example.com', 'wrong again'), 300)
    // Even the correct password has to wait, but only from there and only for this account.
    expectRateLimited(await login(ip, 'ann@example.com', password), 300)
    expect((await login(newIp(), 'ann@example.com', password)).status).toBe(200)
    expect((await login(ip, 'bob@example.com', password)).status).toBe(200)
  })

  it('logins: an unknown account is limited alike', async () => {
    const ip = newIp()
    for (let n = 0; n < 5; n += 1) expect((await login(ip, 'nobody@example.com', `wrong ${n}`)).status).toBe(401)
    expectRateLimited(await login(ip, 'nobody@example.com', 'wrong'), 300)
  })

  it('logins: twenty failures from one address', async () => {
    const ip = newIp()
    for (let n = 0; n < 20; n += 1) expect((await login(ip, `nobody${n}@example.com`, 'wrong')).status).toBe(401)
    expectRateLimited(await login(ip, 'bob@example.com', password), 600)
    expect((await login(newIp(), 'bob@example.com', password)).status).toBe(200)
  })

  it('resets: three an hour from one address; what others ask for turns nobody away', async () => {
    const reset = (user: string, ip = newIp()) =>
      call(ip, '/', { cmd: 'frappe.core.doctype.user.user.reset_password', user })
    for (const user of ['eve@example.com', 'nobody@example.com']) {
      const ip = newIp()
      for (let n = 0; n < 3; n += 1) expect((await reset(user, ip)).status).toBe(200)
      expectRateLimited(await reset(user, ip), 3600)
      for (let n = 0; n < 5; n += 1) expect((await reset(user)).status).toBe(200)
    }
    const sent = booted.mails.filter(({ to, text }) => to === 'eve@example.com' && text.includes('reset-password?key='))
    expect(sent).toHaveLength(1)
    expect(booted.mails.filter(({ to }) => to === 'nobody@example.com')).toHaveLength(0)
  })

  it('sign-ups: five an hour from one address', async () => {
    const ip = newIp()
    const signUp = (n: number) =>
      call(ip, '/api/method/easydash.api.account.sign_up', {
        email: `new${n}@example.com`,
        first_name: 'New',
        last_name: 'Person',

        password,
        termsAndCondition: 1,
      })
    const responses: RawResponse[] = []
    for (let n = 0; n < 6; n += 1) responses.push(await signUp(n))
    for (const response of responses.slice(0, 5)) expect(response.status).toBe(200)
    expectRateLimited(responses[5] as RawResponse, 3600)
  })

  it('calls: six hundred a minute; whoami and pages are not counted', async () => {
    const ip = newIp()
    const whoami = () => call(ip, '/api/method/frappe.auth.get_logged_user')
    for (let n = 0; n < 20; n += 1) expect((await whoami()).status).toBe(403)
    let passed = 0
    let last: RawResponse
    const started = Date.now()
    do {
      last = await call(ip, '/api/method/ping')
      passed += last.status === 200 ? 1 : 0
    } while (last.status === 200 && passed < 700)
    expectRateLimited(last, 60)
    expect(passed).toBeGreaterThanOrEqual(600)
    // What is older than a minute no longer counts: ten in each second, once a minute of the clock has ended meanwhile.
    expect(passed).toBeLessThanOrEqual(600 + Math.ceil((Date.now() - started) / 100))
    expect(last.headers).toMatchObject({ 'x-ratelimit-limit': '600', 'x-ratelimit-remaining': '0' })
    expect((await whoami()).status).toBe(403)
    expect((await call(ip, '/web/login')).status).toBe(200)
  })
})

describe('headers', () => {
  const kinds: [string, string, Record<string, string>][] = [
    ['the app', '/web', { accept: 'text/html' }],
    ['an answer', '/api/method/ping', { accept: 'application/json' }],
    ['a refusal', '/api/method/frappe.client.get_list', { accept: 'application/json' }],
    ['a refusal as a page', '/api/method/frappe.client.get_list', { accept: 'text/html' }],
    ['a missing page', '/nowhere', { accept: 'text/html' }],
    ['a built file', '/web/assets/app-1.js', {}],
    ['a missing file', '/web/assets/none.js', {}],
    ['a private file for guests', `/private/files/${'0'.repeat(40)}.png`, { accept: 'text/html' }],
    ['a missing public file', `/files/${'0'.repeat(40)}.png`, {}],
    ['help', '/helpdesk', { accept: 'text/html' }],
    ['the reference', '/api/docs', { accept: 'text/html' }],
    ['health', '/healthz', {}],
    ['a broken address', '/api/method/%ff', {}],
    ['a redirect', '/', {}],
  ]

  it.each(kinds)('%s', async (_kind, path, headers) => {
    const response = await ask(booted.port, {
      path,
      headers: {
        host: 'dash.example',
        'x-forwarded-for': newIp(),
        'x-forwarded-host': 'dash.example',
        'x-forwarded-proto': 'https',
        ...headers,
      },
    })
    expect(response.headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'strict-transport-security': expect.stringContaining('max-age='),
    })
    expect(response.headers['x-powered-by']).toBeUndefined()
    expect(response.headers['access-control-allow-origin']).toBeUndefined()
    const isHtml = response.headers['content-type']?.startsWith('text/html') === true
    const policy = String(response.headers['content-security-policy'] ?? '')
    // Files of the app are data for the pages that load them; everything that could be a page has a policy.
    if (path.startsWith('/web/assets/app')) return
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toMatch(/unsafe|\*(?!\.)|data: *;.*script/)
    expect(policy).not.toMatch(/script-src[^;]*(?:data:|blob:|https?:(?=[ ;]|$))/)
    if (!isHtml) return
    const nonce = /script-src[^;]*'nonce-([^']+)'/.exec(policy)?.[1]
    for (const tag of response.body.match(/<(?:script|style)\b[^>]*>/g) ?? []) expect(tag).toContain(`nonce="${nonce}"`)
    expect(response.body).not.toMatch(/\son[a-z]+\s*=\s*["']|\sstyle\s*=\s*["']|javascript:/i)
  })
})
