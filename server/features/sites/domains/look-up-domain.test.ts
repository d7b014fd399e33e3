import { expect, test } from 'vitest'
import { lookUpDomain } from './look-up-domain.ts'

const server = { floating_ip: null, public_ipv4: '203.0.113.7', public_ipv6: '2001:db8::7' }
const to = (...addresses: string[]) =>
  lookUpDomain('shop.example', server, async () => addresses.map((address) => ({ address })))
const failing = (code: string) =>
  lookUpDomain('shop.example', server, () => Promise.reject(Object.assign(new Error(code), { code })))

test('a domain leads to a server with all of its addresses, however they are written', async () => {
  expect(await to('203.0.113.7')).toBe('here')
  expect(await to('203.0.113.7', '2001:0DB8:0:0::7')).toBe('here')
  expect(await to('203.0.113.7', '203.0.113.8')).toBe('not_here')
})

test('what a name that leads elsewhere has is not told apart from one that does not exist', async () => {
  expect([await to(), await to('10.0.0.1'), await to('nonsense'), await failing('ENOTFOUND')]).toEqual(
    Array.from({ length: 4 }, () => 'not_here'),
  )
})

test('name servers that do not answer say nothing', async () => {
  expect([await failing('ETIMEOUT'), await failing('ESERVFAIL')]).toEqual(['unknown', 'unknown'])
  const nowhere = { floating_ip: null, public_ipv4: null, public_ipv6: null }
  expect(await lookUpDomain('shop.example', nowhere, () => Promise.reject(new Error('Not asked.')))).toBe('unknown')
})

test('endless answers are cut', async () => {
  expect(await to(...Array.from({ length: 100_000 }, () => '203.0.113.7'))).toBe('here')
})
