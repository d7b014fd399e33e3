/** Attackers with many addresses against the sign-in limits, through a trusted proxy. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { boot, password, type Booted } from '../booted.ts'
import { askThroughProxy, type RawResponse } from '../raw.ts'

let booted: Booted
beforeAll(async () => {
  booted = await boot({
    env: { EASYDASH_RATE_LIMITS: '{}', TRUSTED_PROXIES: '127.0.0.0/8', EASYDASH_URL: 'https://dash.example' },
  })
  for (const name of ['ann', 'bob', 'dan', 'eve']) await booted.person(`${name}@example.com`)
})
afterAll(() => booted?.close())

/** A call from an address, as forwarded by the proxy. */
const call = (ip: string, path: string, params?: Record<string, unknown>, cookie?: string): Promise<RawResponse> =>
  askThroughProxy(booted.port, ip, path, params, cookie)

const login = (ip: string, usr: string, pwd: string, cookie?: string) =>
  call(ip, '/api/method/login', { usr, pwd }, cookie)

describe('addresses of one network', () => {
  it('a /64 of IPv6 counts as one address', async () => {
    for (let n = 1; n <= 5; n += 1)
      expect((await login(`2001:db8:1:1::${n}`, 'ann@example.com', `wrong ${n}`)).status).toBe(401)
    expect((await login('2001:db8:1:1:ffff::6', 'ann@example.com', 'wrong')).status).toBe(429)
    expect((await login('2001:db8:1:2::1', 'ann@example.com', password)).status).toBe(200)
  })

  it('an address that IPv6 carries for IPv4 counts as that', async () => {
    for (let n = 1; n <= 5; n += 1)
      expect((await login('::ffff:203.0.113.9', 'bob@example.com', `wrong ${n}`)).status).toBe(401)
    expect((await login('203.0.113.9', 'bob@example.com', 'wrong')).status).toBe(429)
    expect((await login('::ffff:203.0.113.10', 'bob@example.com', password)).status).toBe(200)
  })
})

/** Value and attributes of the device cookie in a response. */
const deviceCookieOf = (response: RawResponse) =>
  (response.headers['set-cookie'] ?? []).find((line) => line.startsWith('easydash_device=')) ?? ''

describe('guesses at one account from many addresses', () => {
  /** Tries `each` wrong passwords from every address; returns how many were checked. */
  const attack = async (usr: string, addresses: number, each: number): Promise<number> => {
    let checked = 0
    for (let at = 0; at < addresses; at += 1)
      for (let n = 0; n < each; n += 1)
        if ((await login(`100.64.${at >> 8}.${at & 255}`, usr, `wrong ${at} ${n}`)).status === 401) checked += 1
    return checked
  }

  it('are fifty in an hour, whether the account exists or not', async () => {
    expect(await attack('eve@example.com', 20, 4)).toBe(50)
    expect(await attack('nobody@example.com', 20, 4)).toBe(50)
    const responses = await Promise.all(
      ['eve@example.com', 'nobody@example.com'].map((usr) => login('100.65.0.1', usr, password)),
    )
    const errors = responses.map(({ status, body }) => {
      const { retry_after: _wait, ...rest } = JSON.parse(body) as Record<string, unknown>
      return { status, rest }
    })
    expect(errors[0]).toMatchObject({ status: 429, rest: { code: 'rate_limited' } })
    expect(errors[1]).toEqual(errors[0])
  })

  it('leave the owner the device that signed in before', async () => {
    const first = await login('198.51.100.77', 'dan@example.com', password)
    const cookie = deviceCookieOf(first)
    expect(cookie).toMatch(/^easydash_device=[\w-]{43}; Max-Age=15552000; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
    expect(await attack('dan@example.com', 14, 4)).toBe(50)
    expect((await login('198.51.100.78', 'dan@example.com', password)).status).toBe(429)
    const again = await login('198.51.100.78', 'dan@example.com', password, cookie.split(';')[0])
    expect(again.status).toBe(200)
    expect(deviceCookieOf(again).split(';')[0]).toBe(cookie.split(';')[0])
  })
})
