/** Section 4 of the wire contract: signing in, cookies, forged requests. One case per row. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { boot, password, type Booted } from '../booted.ts'
import { sdkError, type Browser } from '../browser.ts'
import { UserDoctype } from '#shared/doctypes/user.ts'

let booted: Booted
beforeAll(async () => {
  booted = await boot()
  await booted.person('ann@example.com')
  await booted.person('off@example.com')
  await booted.organization('acme')
  await booted.documents.transaction(booted.system, (tx) => tx.update(UserDoctype, 'off@example.com', { enabled: 0 }))
})
afterAll(async () => {
  await booted.close()
  expect(booted.logged).toEqual([])
})

const asJson = { 'content-type': 'application/json', accept: 'application/json' }
const post = (browser: Browser, path: string, sent: unknown, headers: Record<string, string> = {}) =>
  browser.fetch(path, { method: 'POST', headers: { ...asJson, ...headers }, body: JSON.stringify(sent) })
const login = (username: string, secret: string) =>
  booted.browser().app.auth().loginWithUsernamePassword({ username, password: secret })
const notice = (body: unknown) =>
  JSON.parse(
    (JSON.parse(String((body as Record<string, unknown>)['_server_messages'])) as string[])[0] ?? '',
  ) as Record<string, unknown>

describe('section 4: calls', () => {
  it('login: JSON and form, the answer and the cookies', async () => {
    const response = { message: 'Logged In', home_page: '/web', full_name: 'Test Person' }
    expect(await login('ann@example.com', password)).toEqual(response)
    const browser = booted.browser()
    const form = await browser.fetch('/api/method/login', {
      method: 'POST',
      body: new URLSearchParams({ usr: 'ann@example.com', pwd: password }),
    })
    expect([form.status, await form.json()]).toEqual([200, response])
    // Our addition to Frappe's cookies: the device cookie.
    const names = ['easydash_device', 'full_name', 'sid', 'system_user', 'user_id', 'user_image']
    expect([...browser.cookies.keys()].sort()).toEqual(names)
  })

  it('login failure: one answer for wrong, unknown and disabled; incomplete and endless ones refused', async () => {
    const wrong = await sdkError(login('ann@example.com', 'nope'))
    expect(wrong).toMatchObject({
      httpStatus: 401,
      exc_type: 'AuthenticationError',
      message: 'Invalid login credentials',
    })
    expect(await sdkError(login('nobody@example.com', 'nope'))).toEqual(wrong)
    expect(await sdkError(login('off@example.com', password))).toEqual(wrong)
    expect(await sdkError(login('ann@example.com', ''))).toMatchObject({
      httpStatus: 401,
      message: 'Incomplete login details',
    })
    expect((await sdkError(login('ann@example.com', `${password}${'x'.repeat(600)}`))).httpStatus).toBe(401)
    const odd = await post(booted.browser(), '/api/method/login', { usr: ['ann@example.com'], pwd: { a: 1 } })
    expect([odd.status, ((await odd.json()) as Record<string, unknown>)['exc_type']]).toEqual([417, 'FrappeTypeError'])
  })

  it('whoami: the e-mail address; guests 403', async () => {
    const browser = await booted.signedIn('ann@example.com')
    expect(await browser.app.auth().getLoggedInUser()).toBe('ann@example.com')
    expect(await sdkError(booted.browser().app.auth().getLoggedInUser())).toMatchObject({
      httpStatus: 403,
      exc_type: 'PermissionError',
    })
  })

  it('logout: ends the session on the server and the cookies; guests may call it', async () => {
    const browser = await booted.signedIn('ann@example.com')
    const sid = browser.cookies.get('sid') ?? ''
    await browser.app.auth().logout()
    expect([...browser.cookies.keys()]).toEqual(['easydash_device'])
    browser.cookies.set('sid', sid)
    expect((await sdkError(browser.app.auth().getLoggedInUser()))['session_expired']).toBe(1)
    expect((await post(booted.browser(), '/api/method/logout', {})).status).toBe(200)
  })

  it('forgot: POST / with cmd, the same notice for every address', async () => {
    const cmd = 'frappe.core.doctype.user.user.reset_password'
    const responses = await Promise.all(
      ['ann@example.com', 'nobody@example.com', 'off@example.com'].map(async (user) => {
        const response = await post(booted.browser(), '/', { cmd, user })
        return { status: response.status, body: (await response.json()) as Record<string, unknown> }
      }),
    )
    expect(responses[0]?.status).toBe(200)
    expect(responses[0]?.body).not.toHaveProperty('message')
    expect(notice(responses[0]?.body)['title']).toBe('Password Email Sent')
    expect(responses[1]).toEqual(responses[0])
    expect(responses[2]).toEqual(responses[0])
    await booted.browser().app.auth().forgetPassword('ann@example.com')
    expect(booted.mails.filter(({ to }) => to !== 'ann@example.com')).toEqual([])
  })

  it('forgot: three an hour for an account, then 429', async () => {
    const other = await boot({ env: { EASYDASH_RATE_LIMITS: '{}' } })
    try {
      const ask = () => other.browser().app.auth().forgetPassword('ann@example.com')
      for (let times = 0; times < 3; times += 1) await ask()
      expect(await sdkError(ask())).toMatchObject({ httpStatus: 429, exc_type: 'RateLimitExceededError' })
    } finally {
      await other.close()
    }
  })

  it('set password: by the key of the mail, once; the answer is the page to go to', async () => {
    await booted.person('bob@example.com')
    await booted.browser().app.auth().forgetPassword('bob@example.com')
    const key = /key=([\w-]{43})/.exec(booted.mails.findLast(({ to }) => to === 'bob@example.com')?.text ?? '')?.[1]
    const set = () =>
      booted.browser().app.call().post<{ message: string }>('frappe.core.doctype.user.user.update_password', {
        key,
        new_password: 'Another-Horse-43!',
        logout_all_sessions: 1,
      })
    expect((await set()).message).toMatch(/^\/web/)
    expect(await sdkError(set())).toMatchObject({ httpStatus: 410, exc_type: 'LinkExpired' })
    await login('bob@example.com', 'Another-Horse-43!')
  })

  it('ping: pong, for everybody', async () => {
    expect(await booted.browser().app.call().get('ping')).toEqual({ message: 'pong' })
  })
})

describe('section 4: cookies', () => {
  it('sid is hidden and lives long; the others are readable, percent-encoded and end with the browser', async () => {
    const response = await post(booted.browser(), '/api/method/login', { usr: 'ann@example.com', pwd: password })
    const lines = new Map(response.headers.getSetCookie().map((line) => [line.slice(0, line.indexOf('=')), line]))
    expect(lines.get('sid')).toMatch(/^sid=[\w-]{43}; .*Max-Age=\d{5,}.*HttpOnly/)
    for (const name of ['user_id', 'full_name', 'user_image', 'system_user']) {
      expect(lines.get(name)).not.toMatch(/HttpOnly|Max-Age|Expires/)
      expect(
        lines
          .get(name)
          ?.split(';')[0]
          ?.slice(name.length + 1),
      ).not.toMatch(/[=";\s]/)
    }
    for (const line of lines.values())
      expect(line.split('; ')).toEqual(expect.arrayContaining(['Path=/', 'SameSite=Lax']))
    expect(lines.get('user_id')).toMatch(/^user_id=ann%40example\.com;/)
    expect(lines.get('system_user')).toMatch(/^system_user=(yes|no);/)
  })

  it('sent again with every signed-in answer to whom they are not known, failures included', async () => {
    const browser = await booted.signedIn('ann@example.com')
    const sid = browser.cookies.get('sid') ?? ''
    const namesFrom = async (path: string, cookie: string) => {
      const response = await browser.fetch(path, { headers: { cookie } })
      return response.headers.getSetCookie().map((line) => line.slice(0, line.indexOf('=')))
    }
    for (const path of [
      '/api/method/ping',
      '/api/resource/Nothing',
      '/api/method/no.such',
      '/api/resource/Server?limit=x',
      '/api/nothing',
    ]) {
      const all = browser.cookieHeader()
      expect([path, ...(await namesFrom(path, all))]).toEqual([path])
      // After the end of a browser, only sid is left.
      expect([path, ...(await namesFrom(path, `sid=${sid}`))]).toEqual([
        path,
        ...['user_id', 'full_name', 'user_image', 'system_user'],
      ])
      const stale = all.replace('user_id=ann%40example.com', 'user_id=bob%40example.com')
      expect([path, ...(await namesFrom(path, stale))]).toEqual([path, 'user_id'])
    }
    expect(browser.cookies.get('user_id')).toBe('ann%40example.com')
    expect(await namesFrom('/web', browser.cookieHeader())).toHaveLength(5)
  })

  it('guests may carry sid=Guest; an unknown sid loses them all', async () => {
    const browser = booted.browser()
    browser.cookies.set('sid', 'Guest').set('user_id', 'Guest')
    expect((await browser.fetch('/api/method/ping')).status).toBe(200)
    browser.cookies.set('sid', 'B'.repeat(43)).set('user_id', 'ann%40example.com')
    await browser.fetch('/api/method/ping')
    expect([...browser.cookies.keys()].filter((name) => name !== 'sid')).toEqual([])
  })

  it('Secure and HSTS behind https', async () => {
    const other = await boot({ env: { EASYDASH_URL: 'https://dash.example' } })
    try {
      await other.person('ann@example.com')
      const response = await fetch(`http://localhost:${other.port}/api/method/login`, {
        method: 'POST',
        headers: asJson,
        body: JSON.stringify({ usr: 'ann@example.com', pwd: password }),
      })
      expect(response.status).toBe(200)
      for (const line of response.headers.getSetCookie()) expect(line).toContain('; Secure')
      expect(response.headers.get('strict-transport-security')).toContain('max-age=')
    } finally {
      await other.close()
    }
  })
})

describe('section 4: forged requests and Authorization', () => {
  it('every unsafe verb of a cookie session needs the token, by header or by parameter', async () => {
    const browser = await booted.signedIn('owner@acme.example')
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      const response = await browser.fetch('/api/resource/Server/x', {
        method,
        headers: { accept: 'application/json' },
      })
      expect([method, response.status]).toEqual([method, 400])
    }
    expect((await post(browser, '/api/method/ping', { csrf_token: browser.csrfToken })).status).toBe(200)
    expect(
      (await post(browser, '/api/method/ping', {}, { 'x-frappe-csrf-token': browser.csrfToken ?? '' })).status,
    ).toBe(200)
    expect((await browser.fetch('/api/method/ping')).status).toBe(200)
  })

  it('exempt: login and callers without a session; an Origin that is sent must be ours', async () => {
    expect((await post(booted.browser(), '/api/method/ping', {})).status).toBe(200)
    expect((await post(booted.browser(), '/api/method/ping', {}, { origin: booted.url })).status).toBe(200)
    for (const origin of [
      'https://evil.example',
      'null',
      `${booted.url}.evil.example`,
      booted.url.replace('http:', 'https:'),
    ])
      expect((await post(booted.browser(), '/api/method/ping', {}, { origin })).status).toBe(400)
    const browser = await booted.signedIn('ann@example.com')
    expect((await post(browser, '/api/method/login', { usr: 'ann@example.com', pwd: password })).status).toBe(200)
  })

  it('the page holds the token of its session, is never kept, and has none for guests', async () => {
    const browser = await booted.signedIn('ann@example.com')
    for (const path of ['/web', '/web/site/x', '/web/login']) {
      const page = await browser.fetch(path, { headers: { accept: 'text/html' } })
      expect(page.headers.get('cache-control')).toBe('no-store')
      expect(await page.text()).toContain(`window.csrf_token = "${browser.csrfToken ?? '?'}"`)
    }
    expect(await (await booted.browser().fetch('/web/login')).text()).toContain('window.csrf_token = ""')
  })

  it('the page of who is signed in loads the scripts of the shell at once, that of a guest does not', async () => {
    const scripts = async (browser: Browser) =>
      (await (await browser.fetch('/web/site')).text()).match(/<link\b[^>]*rel="modulepreload"[^>]*>/g) ?? []
    expect(await scripts(await booted.signedIn('ann@example.com'))).toEqual([
      expect.stringMatching(/^<link nonce="[^"]+" rel="modulepreload" crossorigin href="\/web\/assets\/shell-1\.js">$/),
    ])
    expect(await scripts(booted.browser())).toEqual([])
  })

  it('Authorization: wrong ones are 401 whatever the cookie says', async () => {
    const browser = await booted.signedIn('ann@example.com')
    for (const authorization of ['token key:secret', `Basic ${btoa('key:secret')}`, 'Bearer wrong'])
      expect(
        (await browser.fetch('/api/method/frappe.auth.get_logged_user', { headers: { authorization } })).status,
      ).toBe(401)
  })

  it('CORS is off: no header allows another origin', async () => {
    for (const method of ['GET', 'OPTIONS']) {
      const response = await booted.browser().fetch('/api/method/ping', {
        method,
        headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
      })
      expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
    }
  })
})
