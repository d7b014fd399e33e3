import { io } from 'socket.io-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { boot, password, type Booted } from '../booted.ts'
import { sdkError, type Browser } from '../browser.ts'

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const safari =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1'

interface Row {
  id: string
  current: boolean
  device: string
  browser: string | null
  os: string | null
  ip: string
  country_code: string
  country: string
  created: string
  last_used: string
}

let booted: Booted
beforeAll(async () => {
  booted = await boot({ env: { TRUSTED_PROXIES: '127.0.0.1,::1' } })
  await booted.person('ann@example.com')
  await booted.person('bob@example.com')
})
afterAll(() => booted.close())

/** Logs in like this kind of browser at this address. */
async function login(user: string, userAgent: string, ip: string): Promise<Browser> {
  const browser = booted.browser()
  const headers = { 'content-type': 'application/json', 'user-agent': userAgent, 'x-forwarded-for': ip }
  const body = JSON.stringify({ usr: user, pwd: password })
  expect((await browser.fetch('/api/method/login', { method: 'POST', headers, body })).status).toBe(200)
  await browser.loadPage()
  return browser
}

const list = async (browser: Browser) =>
  (await browser.app.call().get<{ message: Row[] }>('easydash.api.sessions.list')).message
const isOver = async (browser: Browser) =>
  (await browser.fetch('/api/method/frappe.auth.get_logged_user')).status === 403

describe('own sessions', () => {
  it('are listed with device, country and times, and never with the cookie', async () => {
    const here = await login('ann@example.com', firefox, '8.8.8.8')
    const phone = await login('ann@example.com', safari, '193.0.6.139')
    await login('bob@example.com', firefox, '8.8.8.8')
    const rows = await list(here)
    expect(rows).toHaveLength(2)
    expect(rows[0]).toEqual({
      id: expect.any(String) as string,
      current: true,
      device: 'Firefox on Linux',
      browser: 'Firefox',
      os: 'Linux',
      ip: '8.8.8.8',
      country_code: 'us',
      country: 'United States',
      created: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}$/) as string,
      last_used: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}$/) as string,
      login_provider: null,
    })
    expect(rows[1]).toMatchObject({ current: false, device: 'Safari on iOS', country: 'Netherlands' })
    const sids = [here, phone].map((browser) => browser.cookies.get('sid') ?? '?')
    for (const sid of sids) expect(JSON.stringify(rows)).not.toContain(sid)
    // A session's id does not work as a cookie.
    const thief = booted.browser()
    thief.cookies.set('sid', rows[1]?.id ?? '')
    expect(await isOver(thief)).toBe(true)
  })

  it('end one by one, with their sockets, in every process', async () => {
    const another = await booted.another()
    try {
      const here = await login('ann@example.com', firefox, '8.8.8.8')
      const lost = await login('ann@example.com', safari, '8.8.8.8')
      const id = (await list(lost)).find(({ current }) => current)?.id ?? ''
      const socket = io(`http://localhost:${another.port}/localhost`, {
        extraHeaders: { cookie: lost.cookieHeader() },
        forceNew: true,
        reconnection: false,
      })
      await new Promise((resolve, reject) => socket.once('connect', () => resolve(null)).once('connect_error', reject))
      const closed = new Promise((resolve) => socket.once('disconnect', resolve))
      expect(await here.app.call().post('easydash.api.sessions.end', { id })).toMatchObject({ message: { ended: 1 } })
      await closed
      expect(await isOver(lost)).toBe(true)
      expect(await isOver(here)).toBe(false)
      expect((await sdkError(here.app.call().post('easydash.api.sessions.end', { id }))).httpStatus).toBe(404)
    } finally {
      await another.wire.close()
    }
  })

  it("keep their name when the cookie changes, and end with it; other people's are not there", async () => {
    const here = await login('ann@example.com', firefox, '8.8.8.8')
    const other = await login('ann@example.com', safari, '8.8.8.8')
    const mine = (await list(other)).find(({ current }) => current)?.id ?? ''
    const sid = other.cookies.get('sid')
    await other.app.call().post('easydash.api.account.confirm_password', { password })
    expect(other.cookies.get('sid')).not.toBe(sid)
    expect((await list(other)).find(({ current }) => current)?.id).toBe(mine)

    const bob = await login('bob@example.com', firefox, '8.8.8.8')
    const foreign = await sdkError(bob.app.call().post('easydash.api.sessions.end', { id: mine }))
    const none = await sdkError(bob.app.call().post('easydash.api.sessions.end', { id: 'nothing' }))
    expect([foreign.httpStatus, foreign['exception']]).toEqual([none.httpStatus, none['exception']])
    expect(await isOver(other)).toBe(false)
    await here.app.call().post('easydash.api.sessions.end', { id: mine })
    expect(await isOver(other)).toBe(true)
  })

  it('outlive requests that began before the cookie changed: their responses leave the new one alone', async () => {
    const browser = await login('ann@example.com', firefox, '8.8.8.8')
    const old = browser.cookieHeader()
    const reads = () => Array.from({ length: 8 }, () => browser.fetch('/api/resource/User'))
    for (let round = 0; round < 5; round += 1) {
      const confirmed = browser.app.call().post('easydash.api.account.confirm_password', { password })
      await Promise.all([...reads(), confirmed, ...reads()])
      expect(await isOver(browser)).toBe(false)
    }
    const late = await browser.fetch('/api/resource/User', { headers: { cookie: old } })
    expect([late.status, late.headers.getSetCookie()]).toEqual([403, []])
    expect(await isOver(browser)).toBe(false)

    await browser.app.call().post('logout')
    const ended = browser.cookieHeader()
    const over = await browser.fetch('/api/resource/User', { headers: { cookie: `sid=${'x'.repeat(43)}; ${ended}` } })
    expect(over.headers.getSetCookie().join()).toMatch(/sid=;/)
  })

  it('end all but this one, and this one as a logout', async () => {
    const here = await login('ann@example.com', firefox, '8.8.8.8')
    const others = await Promise.all([1, 2].map(() => login('ann@example.com', safari, '8.8.8.8')))
    const bob = await login('bob@example.com', firefox, '8.8.8.8')
    const { message } = await here.app.call().post<{ message: { ended: number } }>('easydash.api.sessions.end_others')
    expect(message.ended).toBeGreaterThanOrEqual(2)
    for (const other of others) expect(await isOver(other)).toBe(true)
    expect(await isOver(bob)).toBe(false)
    expect(await list(here)).toHaveLength(1)
    await here.app.call().post('easydash.api.sessions.end', { id: (await list(here))[0]?.id })
    expect(here.cookies.has('sid')).toBe(false)
    expect(await isOver(here)).toBe(true)
  })

  it('are not for guests', async () => {
    for (const method of ['list', 'end', 'end_others'])
      expect(
        (await sdkError(booted.browser().app.call().post(`easydash.api.sessions.${method}`, { id: 'x' }))).httpStatus,
      ).toBe(403)
  })
})

describe('sign-ins from new places', () => {
  it('are emailed once per device and country, never for the first', async () => {
    await booted.person('eve@example.com')
    const alerts = () => booted.mails.filter(({ to }) => to === 'eve@example.com').length
    await login('eve@example.com', firefox, '8.8.8.8')
    expect(alerts()).toBe(0)
    await login('eve@example.com', firefox, '8.8.4.4')
    expect(alerts()).toBe(0)
    await login('eve@example.com', safari, '8.8.8.8')
    expect(alerts()).toBe(1)
    await login('eve@example.com', firefox, '193.0.6.139')
    expect(alerts()).toBe(2)
    await login('eve@example.com', firefox, '193.0.6.139')
    await login('eve@example.com', safari, '8.8.8.8')
    expect(alerts()).toBe(2)
    expect(booted.mails.at(-1)?.text).toContain('Country: Netherlands')
    // A wrong password does not count as a sign-in.
    const wrong = { usr: 'eve@example.com', pwd: 'Wrong-Horse-42!' }
    await booted.browser().fetch('/api/method/login', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': '133.11.0.1' },
      body: JSON.stringify(wrong),
    })
    expect(alerts()).toBe(2)
  })
})

describe('the look-up of countries', () => {
  it('answers guests from the own table, for the own address by default', async () => {
    const ask = async (query: string, ip = '8.8.8.8') => {
      const response = await booted
        .browser()
        .fetch(`/api/method/easydash.api.geo.country${query}`, { headers: { 'x-forwarded-for': ip } })
      return { status: response.status, body: (await response.json()) as { message?: { country_code: string } } }
    }
    expect(await ask('')).toMatchObject({ status: 200, body: { message: { country_code: 'us' } } })
    expect(await ask('?ip=193.0.6.139')).toMatchObject({ body: { message: { country_code: 'nl' } } })
    expect(await ask('?ip=10.0.0.1')).toMatchObject({ body: { message: { country_code: '' } } })
    expect(await ask('', '192.168.1.1')).toMatchObject({ body: { message: { country_code: '' } } })
    expect(await ask('?ip=example.com')).toMatchObject({ status: 417 })
  })

  it('answers at the address in the path, without the envelope', async () => {
    const ask = async (ip: string) => {
      const response = await booted.browser().fetch(`/api/geo/${encodeURIComponent(ip)}`)
      return { status: response.status, body: await response.json() }
    }
    expect(await ask('193.0.6.139')).toEqual({ status: 200, body: { country_code: 'nl' } })
    expect(await ask('2001:4860:4860::8888')).toEqual({ status: 200, body: { country_code: 'us' } })
    expect(await ask('10.0.0.1')).toEqual({ status: 200, body: { country_code: '' } })
    expect(await ask('example.com')).toMatchObject({ status: 417, body: { exc_type: 'ValidationError' } })
  })
})
