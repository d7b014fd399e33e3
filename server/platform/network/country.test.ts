import { expect, test, vi } from 'vitest'
import { createCountries } from './country.ts'

const silent = { warn: () => undefined }

test.each([
  ['8.8.8.8', 'us'],
  ['193.0.6.139', 'nl'],
  ['::ffff:133.11.0.1', 'jp'],
  ['2001:200::1', 'jp'],
  ['127.0.0.1', ''],
  ['10.1.2.3', ''],
  ['192.168.0.1', ''],
  ['203.0.113.7', ''],
  ['::1', ''],
  ['fe80::1%eth0', ''],
  ['not an address', ''],
  ['1.2.3.4.5', ''],
  ['', ''],
  [null, ''],
])('%s is in "%s"', (ip, code) => {
  expect(createCountries(silent).codeOf(ip)).toBe(code)
})

test('without a table every country is unknown, which is logged once', () => {
  const warn = vi.fn()
  const countries = createCountries({ warn }, () => '/nowhere/table.mmdb')
  expect([countries.codeOf('8.8.8.8'), countries.codeOf('8.8.4.4'), countries.codeOf('10.0.0.1')]).toEqual(['', '', ''])
  expect(warn).toHaveBeenCalledTimes(1)
})
