import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { suggestedCountry, visitorCountry } from './country-lookup.ts'

const day = 86_400_000
const now = Date.UTC(2026, 4, 1)
const fetched = vi.fn<typeof fetch>()

function respondWith(code: string): void {
  fetched.mockImplementation(() => Promise.resolve(Response.json({ message: { country_code: code } })))
}

beforeEach(() => {
  vi.stubGlobal('fetch', fetched)
  window.easydash = { ip: '8.8.8.8' }
  respondWith('us')
})
afterEach(() => {
  vi.unstubAllGlobals()
  localStorage.clear()
  fetched.mockReset()
  window.easydash = {}
})

test('a country is cached for 30 days under the specified keys', async () => {
  expect(await visitorCountry(now)).toBe('us')
  expect(String(fetched.mock.calls[0]?.[0])).toBe('/api/method/easydash.api.geo.country?ip=8.8.8.8')
  expect(localStorage.getItem('country_code_8.8.8.8')).toBe('us')
  expect(localStorage.getItem('country_code_date_8.8.8.8')).toBe('2026-05-01T00:00:00.000Z')
  respondWith('nl')
  expect(await visitorCountry(now + 30 * day - 1)).toBe('us')
  expect(fetched).toHaveBeenCalledTimes(1)
  expect(await visitorCountry(now + 30 * day)).toBe('nl')
  expect(localStorage.getItem('country_code_8.8.8.8')).toBe('nl')
})

test('another IP address is looked up separately', async () => {
  await visitorCountry(now)
  window.easydash = { ip: '1.1.1.1' }
  respondWith('au')
  expect(await visitorCountry(now)).toBe('au')
})

test.each([
  ['a failure', () => fetched.mockRejectedValue(new TypeError('Failed to fetch'))],
  ['a refusal', () => fetched.mockImplementation(() => Promise.resolve(Response.json({}, { status: 429 })))],
  ['an unknown country', () => respondWith('')],
])('%s returns an empty code and is not cached', async (_name, prepare) => {
  prepare()
  expect(await visitorCountry(now)).toBe('')
  expect(localStorage.length).toBe(0)
})

test('without an IP address nothing is requested', async () => {
  window.easydash = {}
  expect(await visitorCountry(now)).toBe('')
  expect(fetched).not.toHaveBeenCalled()
})

test('without browser storage each lookup sends a request', async () => {
  vi.stubGlobal('localStorage', {
    getItem: () => {
      throw new Error('refused')
    },
    setItem: () => {
      throw new Error('refused')
    },
    clear: () => undefined,
  })
  expect([await visitorCountry(now), await visitorCountry(now)]).toEqual(['us', 'us'])
  expect(fetched).toHaveBeenCalledTimes(2)
})

test('a form begins with the country of the address, else of the browser’s language, if that has one', async () => {
  expect(await suggestedCountry()).toBe('us')
  respondWith('')
  localStorage.clear()
  const language = vi.spyOn(navigator, 'language', 'get').mockReturnValue('de-AT')
  expect(await suggestedCountry()).toBe('at')
  language.mockReturnValue('de')
  expect(await suggestedCountry()).toBe('')
  language.mockRestore()
})
