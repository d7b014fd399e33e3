import { once } from 'node:events'
import { connect as connectHttp2, constants, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { networkInterfaces } from 'node:os'
import { duplexPair } from 'node:stream'
import { afterEach, expect, test } from 'vitest'
import type { MysqlAddress } from '#server/platform/mysql/mysql-client.ts'
import { serveOutbound } from './gateway.ts'
import { checkedAddress } from './policy.ts'
import type { Resolve } from '#server/platform/network/name-resolver.ts'

const ending: Array<() => void> = []
afterEach(() => {
  for (const end of ending.splice(0)) end()
})

/** Resolves no names: these tests must not depend on the machine's name servers. */
const noNames: Resolve = () => Promise.reject(new Error('no such name'))

function openGateway(
  resolve: Resolve = noNames,
  cancel: () => void = () => undefined,
  database: MysqlAddress | null = null,
  isClosed = false,
): ClientHttp2Session {
  const [ours, theirs] = duplexPair()
  serveOutbound(theirs, { resolver: { resolve, cancel }, database, isClosed })
  const session = connectHttp2('http://outbound', { createConnection: () => ours })
  session.on('error', () => undefined)
  ending.push(() => session.destroy())
  return session
}

const ask = (session: ClientHttp2Session, authority: string): ClientHttp2Stream =>
  session.request({ ':method': 'CONNECT', ':authority': authority }, { endStream: false })

/** `connected`, or the HTTP/2 error code of a rejected CONNECT. */
async function answer(stream: ClientHttp2Stream): Promise<string | number> {
  const response = once(stream, 'response').then(() => 'connected')
  const closed = new Promise<number>((resolve) => {
    stream.on('error', () => undefined)
    stream.once('close', () => resolve(stream.rstCode ?? 0))
  })
  const result = await Promise.race([response.catch(() => closed), closed])
  stream.close()
  return result
}

async function listen(): Promise<{ server: Server; port: number; connections: () => number }> {
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    socket.end('secret')
  })
  server.listen(0, '0.0.0.0')
  await once(server, 'listening')
  ending.push(() => server.close())
  return { server, port: (server.address() as AddressInfo).port, connections: () => connections }
}

/** A non-loopback address of this machine, if it has one. */
const ownAddress = Object.values(networkInterfaces())
  .flat()
  .find((entry) => entry?.family === 'IPv4' && !entry.internal)?.address

test.each([
  '127.0.0.1',
  'localhost',
  '0.0.0.0',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '10.0.0.1',
  '169.254.169.254',
  '[::ffff:169.254.169.254]',
  '[::ffff:a9fe:a9fe]',
  '[64:ff9b::a9fe:a9fe]',
  '[2002:a9fe:a9fe::1]',
  '[fd00:ec2::254]',
  '[fe80::a9fe:a9fe]',
  '0xa9fea9fe',
  '2852039166',
  '2130706433',
  '0x7f.1',
  '',
])('blocks %s', async (host) => {
  const { port, connections } = await listen()
  expect(await answer(ask(openGateway(), `${host}:${port}`))).toBe(constants.NGHTTP2_CONNECT_ERROR)
  expect(connections()).toBe(0)
})

test.each([
  'example.com',
  'example.com:0',
  'example.com:65536',
  'example.com:99999999',
  'example.com:80x',
  ':80',
  `${'a'.repeat(300)}:80`,
])('the target %s is refused', async (authority) => {
  expect(await answer(ask(openGateway(), authority))).not.toBe('connected')
})

test('a closed site reaches its database and nothing else, and asks for no name', async () => {
  const { port } = await listen()
  const asked: string[] = []
  const resolve: Resolve = (host) => {
    asked.push(host)
    return noNames(host)
  }
  const session = openGateway(resolve, () => undefined, { host: '127.0.0.1', port }, true)
  for (const target of ['example.com:443', '93.184.216.34:443', `127.0.0.1:${port}`])
    expect(await answer(ask(session, target))).toBe(constants.NGHTTP2_CONNECT_ERROR)
  expect(await answer(ask(session, '127.0.0.1:3306'))).toBe('connected')
  expect(asked).toEqual([])
})

test('only CONNECT opens anything', async () => {
  const session = openGateway()
  const stream = session.request({ ':method': 'GET', ':path': '/', ':authority': 'example.com:80' })
  expect(await answer(stream)).toBe(constants.NGHTTP2_CONNECT_ERROR)
})

test('a name with a public and a private address is refused, in either order', async () => {
  const mixed: Resolve = () => Promise.resolve([{ address: '93.184.216.34' }, { address: '127.0.0.1' }])
  const reversed: Resolve = () => Promise.resolve([{ address: '127.0.0.1' }, { address: '93.184.216.34' }])
  for (const resolve of [mixed, reversed]) expect(await checkedAddress('mixed.example', 80, resolve)).toBeNull()
})

test('does not resolve a name again that points to this machine after the check', async () => {
  const { port, connections } = await listen()
  const answers = [['93.184.216.34'], ['127.0.0.1']]
  let lookups = 0
  const resolve: Resolve = () => {
    const addresses = answers[Math.min(lookups, 1)] ?? []
    lookups += 1
    return Promise.resolve(addresses.map((address) => ({ address })))
  }
  expect(await checkedAddress('rebinding.example', port, resolve)).toBe('93.184.216.34')
  expect(lookups).toBe(1)
  // The second connection gets the second response, and is rejected because of it.
  expect(await answer(ask(openGateway(resolve), `rebinding.example:${port}`))).toBe(constants.NGHTTP2_CONNECT_ERROR)
  expect(connections()).toBe(0)
})

test.runIf(ownAddress !== undefined)('ports of this machine stay closed on its own addresses, too', async () => {
  const { port, connections } = await listen()
  expect(await answer(ask(openGateway(), `${ownAddress}:${port}`))).toBe(constants.NGHTTP2_CONNECT_ERROR)
  expect(connections()).toBe(0)
})

test('a site can have 64 concurrent connections', async () => {
  const session = openGateway()
  await once(session, 'remoteSettings')
  expect(session.remoteSettings.maxConcurrentStreams).toBe(64)
})

test('a site can have 64 concurrent lookups, also of closed connections, and none after it ended', async () => {
  const under = Promise.withResolvers<never>()
  let lookups = 0
  let canceled = 0
  const session = openGateway(
    () => {
      lookups += 1
      return under.promise
    },
    () => {
      canceled += 1
      under.reject(new Error('canceled'))
    },
  )
  await once(session, 'remoteSettings')
  for (let round = 0; round < 5; round += 1) {
    const streams = Array.from({ length: 40 }, (_, at) => ask(session, `slow-${round}-${at}.example:80`))
    // The ping's response arrives after all of them were processed.
    await new Promise((resolve) => {
      session.ping(resolve)
    })
    for (const stream of streams) {
      stream.on('error', () => undefined)
      stream.close(constants.NGHTTP2_CANCEL)
    }
    await Promise.all(streams.filter(({ closed }) => !closed).map((stream) => once(stream, 'close')))
  }
  expect(lookups).toBe(64)
  expect(await answer(ask(session, 'one-more.example:80'))).toBe(constants.NGHTTP2_CONNECT_ERROR)
  expect([lookups, canceled]).toEqual([64, 0])
  session.destroy()
  await expect(under.promise).rejects.toThrow('canceled')
  expect(canceled).toBe(1)
})

test('look-ups that ended make room', async () => {
  const session = openGateway()
  for (let at = 0; at < 70; at += 1)
    expect(await answer(ask(session, `unknown-${at}.example:80`))).toBe(constants.NGHTTP2_CONNECT_ERROR)
  expect(session.destroyed).toBe(false)
})

test('a site that requests blocked addresses in a loop loses its network', async () => {
  const session = openGateway()
  const closed = once(session, 'close')
  const loop = (): void => {
    while (!session.destroyed && !session.closed) {
      const stream = ask(session, '127.0.0.1:80')
      stream.on('error', () => undefined)
      stream.once('close', () => setImmediate(loop))
      return
    }
  }
  for (let at = 0; at < 60; at += 1) loop()
  await closed
  expect(session.destroyed).toBe(true)
})

test('bytes that are not HTTP/2 end the network of that site only', async () => {
  const [ours, theirs] = duplexPair()
  serveOutbound(theirs, { resolver: { resolve: noNames, cancel: () => undefined } })
  theirs.on('error', () => undefined)
  ours.resume()
  ours.write('GET / HTTP/1.1\r\n\r\n')
  await new Promise((resolve) => {
    theirs.once('close', resolve)
  })
})

test('a flood of frames that ask for nothing ends the network of that site', async () => {
  const [ours, theirs] = duplexPair()
  serveOutbound(theirs, { resolver: { resolve: noNames, cancel: () => undefined } })
  const session = connectHttp2('http://outbound', { createConnection: () => ours })
  session.on('error', () => undefined)
  ending.push(() => session.destroy())
  await once(session, 'remoteSettings')
  const closed = once(theirs, 'close')
  // WINDOW_UPDATE of the connection by one byte (RFC 9113, 6.9).
  const update = Buffer.from([0, 0, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0, 1])
  ours.write(Buffer.concat(Array<Buffer>(50_000).fill(update)))
  await closed
})

test('a site can have 12 connections to its database, also such that never log in', async () => {
  const waiting = createServer()
  waiting.listen(0, '127.0.0.1')
  await once(waiting, 'listening')
  ending.push(() => waiting.close())
  const session = openGateway(noNames, () => undefined, {
    host: '127.0.0.1',
    port: (waiting.address() as AddressInfo).port,
  })
  const open = Array.from({ length: 12 }, () => ask(session, '127.0.0.1:3306'))
  for (const stream of open) stream.on('error', () => undefined)
  await Promise.all(open.map((stream) => once(stream, 'response')))
  expect(await answer(ask(session, '127.0.0.1:3306'))).toBe(constants.NGHTTP2_CONNECT_ERROR)
  // One that ends makes room for the next.
  const [first] = open
  first?.close(constants.NGHTTP2_CANCEL)
  await expect.poll(() => answer(ask(session, '127.0.0.1:3306'))).toBe('connected')
})

test('a site reaches its own database under one address, and nothing else of this machine', async () => {
  const { port, connections } = await listen()
  const session = openGateway(noNames, () => undefined, { host: '127.0.0.1', port })
  expect(await answer(ask(session, '127.0.0.1:3306'))).toBe('connected')
  expect(connections()).toBe(1)
  for (const target of [
    `127.0.0.1:${port}`,
    'localhost:3306',
    '127.0.0.1:3307',
    '[::1]:3306',
    '0.0.0.0:3306',
    '127.1:3306',
  ])
    expect(await answer(ask(session, target))).toBe(constants.NGHTTP2_CONNECT_ERROR)
  expect(await answer(ask(openGateway(), '127.0.0.1:3306'))).toBe(constants.NGHTTP2_CONNECT_ERROR)
  expect(connections()).toBe(1)
})
