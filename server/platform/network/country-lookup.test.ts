import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { createCountryLookup } from './country-lookup.ts'

const countries = { codeOf: (ip: string | null) => (ip === '8.8.8.8' ? 'us' : '') }
const closing: (() => void)[] = []
afterEach(() => closing.splice(0).forEach((close) => close()))

/** An operator's service; returns its URL and the requested paths. */
async function service(handler: RequestListener): Promise<{ url: string; requests: string[] }> {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    handler(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/lookup`, requests }
}

test('without a service the own table answers', async () => {
  const find = createCountryLookup({ url: null, countries, log: { warn: () => undefined } })
  expect([await find('8.8.8.8'), await find('10.0.0.1')]).toEqual(['us', ''])
})

test('sends the address in the path; returns codes in lower case', async () => {
  const { url, requests } = await service((_request, response) => response.end('{"country_code":"DE"}'))
  const warn = vi.fn()
  const find = createCountryLookup({ url, countries, log: { warn } })
  expect([await find('8.8.8.8'), await find('2001:db8::1')]).toEqual(['de', 'de'])
  expect(requests).toEqual(['GET /lookup/8.8.8.8', 'GET /lookup/2001%3Adb8%3A%3A1'])
  expect(warn).not.toHaveBeenCalled()
})

test.each([
  ['a refusal', 403, '{"country_code":"DE"}', 1],
  ['no JSON', 200, '<html>', 1],
  ['null', 200, 'null', 0],
  ['no code', 200, '{"country":"Germany"}', 0],
  ['a name', 200, '{"country_code":"Germany"}', 0],
  ['an unknown code', 200, '{"country_code":"xx"}', 0],
])('%s is an unknown country', async (_name, status, body, warnings) => {
  const { url } = await service((_request, response) => response.writeHead(status).end(body))
  const warn = vi.fn()
  expect(await createCountryLookup({ url, countries, log: { warn } })('8.8.8.8')).toBe('')
  expect(warn).toHaveBeenCalledTimes(warnings)
})

test('returns an unknown country if the service is unavailable', async () => {
  const warn = vi.fn()
  expect(await createCountryLookup({ url: 'http://127.0.0.1:9', countries, log: { warn } })('8.8.8.8')).toBe('')
  expect(warn).toHaveBeenCalledTimes(1)
})
