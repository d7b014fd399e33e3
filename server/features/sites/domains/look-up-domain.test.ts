import { expect, test } from 'vitest'
import { lookUpDomain } from './look-up-domain.ts'

const server = { floating_ip: null, public_ipv4: '203.0.113.7', public_ipv6: '2001:db8::7' }
const to = (...addresses: string[]) =>
  lookUpDomain('shop.example', server, async () => addresses.map((address) => ({ address })))
const failing = (code: string) =>
  lookUpDomain('shop.example', server, () => Promise.reject(Object.assign(new Error(code), { code })))

const stateOf = async (looked: ReturnType<typeof to>) => (await looked).state

test('a domain leads to a server with all of its addresses, however they are written', async () => {
  expect(await stateOf(to('203.0.113.7'))).toBe('here')
  expect(await stateOf(to('203.0.113.7', '2001:0DB8:0:0::7'))).toBe('here')
  expect(await stateOf(to('203.0.113.7', '203.0.113.8'))).toBe('not_here')
})

test('the records that it needs are given beside a few of those it has, first those that lead elsewhere', async () => {
  const many = Array.from({ length: 9 }, (_, at) => `198.51.100.${at}`)
  expect(await to('203.0.113.7', '198.51.100.1', '198.51.100.1', '2001:db8::8')).toEqual({
    state: 'not_here',
    expected: [
      { type: 'A', address: '203.0.113.7' },
      { type: 'AAAA', address: '2001:db8::7' },
    ],
    found: [
      { type: 'A', address: '198.51.100.1', is_here: false },
      { type: 'AAAA', address: '2001:db8::8', is_here: false },
      { type: 'A', address: '203.0.113.7', is_here: true },
    ],
  })
  expect((await to(...many)).found).toHaveLength(4)
  const floating = { ...server, floating_ip: '203.0.113.9', public_ipv6: null }
  const { expected } = await lookUpDomain('shop.example', floating, async () => [])
  expect(expected).toEqual([{ type: 'A', address: '203.0.113.9' }])
})

test('a name with addresses inside a network is not told apart from one that does not exist', async () => {
  const [unknown, ...others] = [await failing('ENOTFOUND'), await to(), await to('10.0.0.1'), await to('nonsense')]
  expect(unknown).toMatchObject({ state: 'not_here', found: [] })
  for (const other of others) expect(other).toEqual(unknown)
})

test('name servers that do not answer say nothing', async () => {
  for (const code of ['ETIMEOUT', 'ESERVFAIL']) expect(await stateOf(failing(code))).toBe('unknown')
  const nowhere = { floating_ip: null, public_ipv4: null, public_ipv6: null }
  const notAsked = lookUpDomain('shop.example', nowhere, () => Promise.reject(new Error('Not asked.')))
  expect(await notAsked).toEqual({ state: 'unknown', expected: [], found: [] })
})

test('endless answers are cut', async () => {
  expect(await stateOf(to(...Array.from({ length: 100_000 }, () => '203.0.113.7')))).toBe('here')
})
