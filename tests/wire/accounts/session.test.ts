import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { boot, password, type Booted } from '../booted.ts'
import { sdkError } from '../browser.ts'

let booted: Booted
beforeAll(async () => {
  booted = await boot()
  await booted.person('ann@example.com')
})
afterAll(async () => {
  await booted.close()
  expect(booted.logged).toEqual([])
})

const login = (username: string, secret: string) => {
  const browser = booted.browser()
  return { browser, call: browser.app.auth().loginWithUsernamePassword({ username, password: secret }) }
}

describe('signing in with the real SDK', () => {
  it('answers as Frappe and sets the cookies', async () => {
    const { browser, call } = login('ann@example.com', password)
    expect(await call).toEqual({ message: 'Logged In', home_page: '/web', full_name: 'Test Person' })
    expect(browser.cookies.get('sid')).toMatch(/^[\w-]{43}$/)
    expect(decodeURIComponent(browser.cookies.get('user_id') ?? '')).toBe('ann@example.com')
    expect(browser.cookies.get('full_name')).toBe('Test%20Person')
    expect(browser.cookies.get('system_user')).toBe('yes')
    expect(await browser.app.auth().getLoggedInUser()).toBe('ann@example.com')
  })

  it('hides sid from scripts and shows the others', async () => {
    const response = await booted.browser().fetch('/api/method/login', {
      method: 'POST',
      body: new URLSearchParams({ usr: 'ann@example.com', pwd: password }),
    })
    const lines = response.headers.getSetCookie()
    const line = (name: string) => lines.find((one) => one.startsWith(`${name}=`)) ?? ''
    expect(line('sid')).toMatch(/Max-Age=\d+/)
    for (const name of ['sid', 'user_id', 'full_name', 'user_image', 'system_user']) {
      expect(line(name)).toContain('SameSite=Lax')
      expect(line(name)).toContain('Path=/')
      expect(line(name)).not.toContain('Domain')
      expect(line(name).includes('HttpOnly')).toBe(name === 'sid')
    }
  })

  it('answers a wrong password and an unknown address alike', async () => {
    const wrong = await sdkError(login('ann@example.com', 'nope').call)
    const unknown = await sdkError(login('nobody@example.com', 'nope').call)
    expect(wrong.httpStatus).toBe(401)
    expect(wrong.message).toBe('Invalid login credentials')
    expect(wrong.exc_type).toBe('AuthenticationError')
    expect(unknown).toEqual(wrong)
    expect((await sdkError(login('', '').call)).message).toBe('Incomplete login details')
  })

  it('gives a new sid at each login and never adopts a foreign one', async () => {
    const { browser, call } = login('ann@example.com', password)
    await call
    const first = browser.cookies.get('sid')
    await browser.app.auth().loginWithUsernamePassword({ username: 'ann@example.com', password })
    expect(browser.cookies.get('sid')).not.toBe(first)
    const old = booted.browser()
    old.cookies.set('sid', first ?? '')
    expect((await sdkError(old.app.auth().getLoggedInUser())).httpStatus).toBe(403)
    const planted = booted.browser()
    planted.cookies.set('sid', 'A'.repeat(43))
    await planted.app.auth().loginWithUsernamePassword({ username: 'ann@example.com', password })
    expect(planted.cookies.get('sid')).not.toBe('A'.repeat(43))
  })

  it('logs out on the server and clears every cookie that names somebody', async () => {
    const browser = await booted.signedIn('ann@example.com')
    const sid = browser.cookies.get('sid') ?? ''
    await browser.app.auth().logout()
    expect([...browser.cookies.keys()]).toEqual(['easydash_device'])
    const again = booted.browser()
    again.cookies.set('sid', sid).set('user_id', 'ann%40example.com')
    const error = await sdkError(again.app.auth().getLoggedInUser())
    expect(error.httpStatus).toBe(403)
    expect(error['session_expired']).toBe(1)
    expect([...again.cookies.keys()]).toEqual([])
  })

  it('does not take a sid from query or body', async () => {
    const browser = await booted.signedIn('ann@example.com')
    const sid = browser.cookies.get('sid') ?? ''
    const response = await booted.browser().fetch(`/api/method/frappe.auth.get_logged_user?sid=${sid}`)
    expect(response.status).toBe(403)
  })

  it('sends the reset mail by the parameter cmd on /', async () => {
    const before = booted.mails.length
    await booted.browser().app.auth().forgetPassword('ann@example.com')
    await booted.browser().app.auth().forgetPassword('nobody@example.com')
    expect(booted.mails.slice(before).map((mail) => mail.to)).toEqual(['ann@example.com'])
    const response = await booted.browser().fetch('/', {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify({ cmd: 'frappe.core.doctype.user.user.reset_password', user: 'nobody@example.com' }),
    })
    const body = (await response.json()) as Record<string, unknown>
    expect(body['message']).toBeUndefined()
    expect(JSON.parse((JSON.parse(String(body['_server_messages'])) as string[])[0] ?? '')).toMatchObject({
      title: 'Password Email Sent',
    })
  })
})

describe('forged requests', () => {
  const post = (path: string, headers: Record<string, string>, body: object = {}) => ({
    path,
    init: { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) },
  })

  it('needs the session token for unsafe calls, logout included', async () => {
    const browser = await booted.signedIn('ann@example.com')
    const call = async (headers: Record<string, string>, body: object = {}) => {
      const { path, init } = post('/api/method/logout', headers, body)
      const response = await browser.fetch(path, init)
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    }
    expect(await call({})).toMatchObject({ status: 400, body: { exc_type: 'CSRFTokenError', code: 'csrf' } })
    expect(await call({ 'x-frappe-csrf-token': 'x'.repeat(43) })).toMatchObject({ status: 400 })
    expect(
      await call({ 'x-frappe-csrf-token': browser.csrfToken ?? '', origin: 'http://blog.localhost:1' }),
    ).toMatchObject({ status: 400 })
    expect(await call({ 'x-frappe-csrf-token': browser.csrfToken ?? '', origin: 'null' })).toMatchObject({
      status: 400,
    })
    expect(await browser.app.auth().getLoggedInUser()).toBe('ann@example.com')
    expect(await call({ origin: booted.url }, { csrf_token: browser.csrfToken })).toMatchObject({ status: 200 })
    expect((await sdkError(browser.app.auth().getLoggedInUser())).httpStatus).toBe(403)
  })

  it('refuses a foreign origin for guests too, and lets calls without one pass', async () => {
    const { path, init } = post(
      '/api/method/login',
      { origin: 'https://evil.example' },
      { usr: 'ann@example.com', pwd: password },
    )
    expect((await booted.browser().fetch(path, init)).status).toBe(400)
    const plain = post('/api/method/login', {}, { usr: 'ann@example.com', pwd: password })
    expect((await booted.browser().fetch(plain.path, plain.init)).status).toBe(200)
  })

  it('reads the token from window, as the SDK does in a browser', async () => {
    const browser = await booted.signedIn('ann@example.com')
    const token = browser.csrfToken
    browser.csrfToken = null
    Object.assign(globalThis, { window: { csrf_token: '{{ csrf_token }}' } })
    try {
      expect((await sdkError(browser.app.auth().logout())).httpStatus).toBe(400)
      Object.assign(globalThis, { window: { csrf_token: token } })
      await browser.app.auth().logout()
    } finally {
      Reflect.deleteProperty(globalThis, 'window')
    }
    expect(browser.cookies.has('sid')).toBe(false)
  })

  it('refuses wrong credentials in Authorization even for guest calls and ignores the cookie then', async () => {
    const browser = await booted.signedIn('ann@example.com')
    for (const authorization of ['token a:b', 'Basic eDp5', 'Bearer z', 'nonsense', '']) {
      const response = await browser.fetch('/api/method/ping', { headers: { authorization } })
      expect(response.status).toBe(401)
      expect(((await response.json()) as Record<string, unknown>)['exc_type']).toBe('AuthenticationError')
    }
  })

  it('gives the token to clients that do not reload, by the boot call', async () => {
    const browser = booted.browser()
    await browser.app.auth().loginWithUsernamePassword({ username: 'ann@example.com', password })
    const { message } = (await browser.app.call().get('easydash.api.session.boot')) as {
      message: Record<string, unknown>
    }
    expect(message).toMatchObject({ user: 'ann@example.com', product_name: 'Easydash' })
    browser.csrfToken = String(message['csrf_token'])
    await browser.app.auth().logout()
    expect(browser.cookies.has('sid')).toBe(false)
  })
})
