import { lookup } from 'node:dns/promises'
import { afterEach, expect, test } from 'vitest'
import { startNameServer, type NameServer, type Zone } from '#tests/support/name-server.ts'
import { limitLookups, openResolver, openTenantResolver, type NameResolver } from './name-resolver.ts'

let server: NameServer
let resolver: NameResolver
const ending: Array<() => void> = []
afterEach(() => {
  for (const end of ending.splice(0)) end()
})

async function open(zone: Zone): Promise<void> {
  server = await startNameServer(zone)
  resolver = openResolver({ servers: [server.address], answerTimeoutMs: 60_000 })
  ending.push(
    () => resolver.cancel(),
    () => server.stop(),
  )
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

test('a name without addresses has none', async () => {
  await open(() => [])
  expect(await resolver.resolve('nothing.test')).toEqual([])
})

test('an unresponsive name server does not block lookups of other sites, and its lookups end with the site', async () => {
  await open(() => null)
  let settled = 0
  const waiting = Array.from({ length: 64 }, (_, at) =>
    resolver.resolve(`silent-${at}.test`).finally(() => (settled += 1)),
  )
  // Uses the machine's own resolver, like everything else in this process.
  expect((await lookup('localhost')).address).toMatch(/^(?:127\.|::1)/)
  expect(settled).toBe(0)
  resolver.cancel()
  const ends = await Promise.allSettled(waiting)
  expect(new Set(ends.map(({ status }) => status))).toEqual(new Set(['rejected']))
})

test('a name of an organization that only this machine knows is found, too', async () => {
  await open(() => [])
  const found = await openTenantResolver({ servers: [server.address] })('localhost')
  expect(found.map(({ address }) => address).join()).toMatch(/127\.0\.0\.1|::1/)
})

test('names of organizations whose server is silent hold no thread', async () => {
  await open(() => null)
  const resolve = openTenantResolver({ servers: [server.address], answerTimeoutMs: 10_000 })
  let settled = 0
  const settle = () => (settled += 1)
  for (let at = 0; at < 16; at += 1) void resolve(`silent-${at}.test`).then(settle, settle)
  expect((await lookup('localhost')).address).toMatch(/^(?:127\.|::1)/)
  expect(settled).toBe(0)
})

test('of a silent name server it says so, and asks no other', async () => {
  await open(() => null)
  const resolve = openTenantResolver({ servers: [server.address], answerTimeoutMs: 100 })
  await expect(resolve('localhost')).rejects.toMatchObject({ code: 'ETIMEOUT' })
})

test('limits concurrent lookups, rejects the others and frees slots of completed ones', async () => {
  let end = (): void => undefined
  const under = new Promise<[]>((resolve) => (end = () => resolve([])))
  const resolve = limitLookups(() => under, 2)
  const both = [resolve('a'), resolve('b')]
  await expect(resolve('c')).rejects.toThrow('Too many names')
  end()
  await Promise.all(both)
  expect(await resolve('d')).toEqual([])
})
