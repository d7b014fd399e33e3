import { once } from 'node:events'
import { createServer as createTlsServer, type Server } from 'node:https'
import { isIPv6, type AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { checkedAddress } from '#server/engines/local/outbound/policy.ts'
import { safeFetch } from '#server/platform/network/fetch.ts'
import { checkedTargets, safeConnect } from '#server/platform/network/safe-connect.ts'
import { testCertificate } from '#server/platform/network/test-certificate.ts'
import { startNameServer, type NameServer, type Zone } from '#tests/support/name-server.ts'

/*
 * Names whose owner answers one thing to the check and another to the connection, against a live name server: everything
 * that connects for somebody else asks once, and connects to what was checked.
 */

const open = '93.184.216.34'
let names: NameServer | null = null
let inside: Server
let port: number
let connections: number

beforeEach(async () => {
  connections = 0
  inside = createTlsServer(testCertificate, (_request, response) => response.end('secret'))
  inside.on('connection', () => (connections += 1))
  inside.listen(0, '127.0.0.1')
  await once(inside, 'listening')
  port = (inside.address() as AddressInfo).port
})
afterEach(() => {
  names?.stop()
  inside.closeAllConnections()
  inside.close()
})

/** A zone of addresses: what is asked, and when, decides. */
async function serve(addresses: (times: number) => readonly string[]): Promise<NameServer> {
  const zone: Zone = (name, type, times) =>
    addresses(times)
      .filter((address) => isIPv6(address) === (type === 'AAAA'))
      .map((data) => ({ name, type: type === 'AAAA' ? 'AAAA' : 'A', data }))
  names = await startNameServer(zone)
  return names
}

const tenant = (server: NameServer) => ({ profile: 'tenant' as const, resolve: server.resolve, timeoutMs: 60_000 })

test('the second answer of a name is never used', async () => {
  const server = await serve((times) => (times === 0 ? [open] : ['127.0.0.1']))
  expect(await checkedTargets('rebinding.test', port, tenant(server))).toEqual([{ address: open, port }])
  expect(server.questions).toEqual(['rebinding.test A', 'rebinding.test AAAA'])
  await expect(safeFetch(`https://rebinding.test:${port}/`, tenant(server))).rejects.toMatchObject({
    code: 'unavailable',
  })
  expect(connections).toBe(0)
})

test('a request asks once, from the check to the connection', async () => {
  const aborted = new AbortController()
  const server = await serve((times) => {
    // Nobody answers there; a second question would come at once.
    setTimeout(() => aborted.abort(), 500)
    return times === 0 ? [open] : ['127.0.0.1']
  })
  await expect(
    safeFetch(`https://rebinding.test:${port}/`, { ...tenant(server), signal: aborted.signal }),
  ).rejects.toBeDefined()
  expect(server.questions.filter((question) => question.endsWith(' A'))).toHaveLength(1)
  expect(connections).toBe(0)
})

test.each([
  ['private beside public', [open, '127.0.0.1']],
  ['public beside private', ['10.0.0.1', open]],
  ['metadata', ['169.254.169.254']],
  ['a private address of the other family', [open, '::1']],
  ['mapped', ['::ffff:127.0.0.1']],
  ['NAT64 of loopback', ['64:ff9b::7f00:1']],
  ['unique local', ['fd00::1']],
])('%s is refused whole', async (_label, addresses) => {
  const server = await serve(() => addresses)
  await expect(safeFetch(`https://mixed.test:${port}/`, tenant(server))).rejects.toMatchObject({ code: 'unavailable' })
  await expect(safeConnect('mixed.test', port, tenant(server))).rejects.toMatchObject({ code: 'unavailable' })
  const resolve = async (host: string) => (await server.resolve(host)).map((address) => ({ address }))
  expect(await checkedAddress('mixed.test', port, resolve)).toBeNull()
  expect(connections).toBe(0)
})

test('the address of a site’s request is checked for each connection', async () => {
  const server = await serve((times) => (times === 0 ? [open] : ['127.0.0.1']))
  const resolve = async (host: string) => (await server.resolve(host)).map((address) => ({ address }))
  expect(await checkedAddress('rebinding.test', port, resolve)).toBe(open)
  expect(await checkedAddress('rebinding.test', port, resolve)).toBeNull()
})
