import { lookup } from 'node:dns/promises'
import { afterEach, expect, test } from 'vitest'
import { startNameServer, type NameServer, type Zone } from '../../../../tests/support/name-server.ts'
import { checkedAddress } from './policy.ts'
import { openResolver, type SiteResolver } from './resolver.ts'

let server: NameServer
let resolver: SiteResolver
afterEach(() => {
  resolver.cancel()
  server.stop()
})

async function open(zone: Zone): Promise<void> {
  server = await startNameServer(zone)
  resolver = openResolver([server.address])
}

const [four, six] = ['93.184.216.34', '2606:2800:220:1::1']

test('a name has the addresses of both families, or of one', async () => {
  await open((name, type) => {
    if (type === 'A') return name === 'six.test' ? [] : [{ name, type, data: four }]
    return name === 'four.test' ? [] : [{ name, type: 'AAAA', data: six }]
  })
  const found = async (name: string): Promise<string[]> =>
    (await resolver.resolve(name)).map(({ address }) => address).sort()
  expect(await found('both.test')).toEqual([six, four])
  expect(await found('four.test')).toEqual([four])
  expect(await found('six.test')).toEqual([six])
})

test('a name without addresses is refused', async () => {
  await open(() => [])
  expect(await checkedAddress('nothing.test', 80, resolver.resolve)).toBeNull()
})

test('names whose server is silent keep nobody from theirs, and end with the site', async () => {
  await open(() => null)
  let settled = 0
  const waiting = Array.from({ length: 64 }, (_, at) =>
    checkedAddress(`silent-${at}.test`, 80, resolver.resolve).finally(() => (settled += 1)),
  )
  // By the machine's own resolver, as everything else in this process asks.
  expect((await lookup('localhost')).address).toMatch(/^(?:127\.|::1)/)
  expect(settled).toBe(0)
  resolver.cancel()
  expect(await Promise.all(waiting)).toEqual(waiting.map(() => null))
})
