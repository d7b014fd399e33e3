import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import {
  connect,
  createServer as createTcpServer,
  type AddressInfo,
  type Server as TcpServer,
  type Socket,
} from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkTenantUrl, safeFetch } from './fetch.ts'
import { safeConnect, type Resolver } from './safe-connect.ts'
import { testCertificate } from './test-certificate.ts'

let http: Server
let https: Server
let seen: string[] = []
const portOf = (server: Server | TcpServer) => (server.address() as AddressInfo).port
const at =
  (...addresses: string[]): Resolver =>
  () =>
    Promise.resolve(addresses)
const loopbackAllowed = { profile: 'tenant' as const, allowPrivateCidrs: ['127.0.0.0/8'], ca: testCertificate.cert }

beforeAll(async () => {
  const response: Parameters<typeof createServer>[1] = (request, response) => {
    seen.push(`${request.method} ${request.headers.host} ${request.url}`)
    if (request.url === '/moved') return void response.writeHead(302, { location: 'https://elsewhere.test/' }).end()
    if (request.url === '/large') return void response.end(Buffer.alloc(2_000_000))
    if (request.url === '/never') return undefined
    if (request.url === '/drip') return void response.write('begin')
    request.pipe(response.setHeader('x-two', ['a', 'b']))
    return undefined
  }
  http = createServer(response).listen(0, '127.0.0.1')
  https = createTlsServer(testCertificate, response).listen(0, '127.0.0.1')
  await Promise.all([http, https].map((server) => new Promise((resolve) => server.once('listening', resolve))))
})

afterAll(() => {
  for (const server of [http, https]) {
    server.closeAllConnections()
    server.close()
  }
})

test('a tenant reaches https on a checked address, under the name of the certificate', async () => {
  seen = []
  const response = await safeFetch(`https://hooks.test:${portOf(https)}/in?a=1`, {
    ...loopbackAllowed,
    resolve: at('127.0.0.1'),
    method: 'POST',
    body: 'hällo',
  })
  expect(response).toMatchObject({ status: 200, headers: { 'x-two': 'a, b' } })
  expect(response.body.toString()).toBe('hällo')
  expect(seen).toEqual([`POST hooks.test:${portOf(https)} /in?a=1`])
})

test('a certificate of another name is not accepted', async () => {
  await expect(
    safeFetch(`https://other.test:${portOf(https)}/`, { ...loopbackAllowed, resolve: at('127.0.0.1') }),
  ).rejects.toMatchObject({ code: 'unavailable' })
})

test.each([
  ['loopback', 'https://127.0.0.1:PORT/'],
  ['a short form of loopback', 'https://127.1:PORT/'],
  ['a number', 'https://2130706433:PORT/'],
  ['octal', 'https://0177.0.0.1:PORT/'],
  ['unspecified', 'https://0.0.0.0:PORT/'],
  ['IPv6 loopback', 'https://[::1]:PORT/'],
  ['mapped loopback', 'https://[::ffff:127.0.0.1]:PORT/'],
  ['link-local metadata', 'https://169.254.169.254/latest/meta-data/'],
  ['localhost', 'https://localhost:PORT/'],
  ['plain http', 'http://example.com/'],
  ['a file', 'file:///etc/passwd'],
  ['credentials', 'https://user:pw@example.com/'],
  ['no address at all', 'not an address'],
])('a tenant cannot use %s', async (_label, url) => {
  seen = []
  await expect(safeFetch(url.replace('PORT', String(portOf(https))), { profile: 'tenant' })).rejects.toMatchObject({
    code: 'invalid',
  })
  expect(seen).toEqual([])
})

test('one private address among public ones refuses the name', async () => {
  await expect(
    safeFetch('https://mixed.test/', { profile: 'tenant', resolve: at('93.184.216.34', '10.0.0.1') }),
  ).rejects.toMatchObject({ code: 'unavailable' })
})

test('a tenant learns of a name inside the network as much as of one that does not exist', async () => {
  const unknown: Resolver = () => Promise.reject(new Error('ENOTFOUND'))
  const output = async (resolve: Resolver, port: number) => {
    const error: unknown = await safeFetch(`https://db.corp.example:${port}/`, { profile: 'tenant', resolve }).catch(
      (one: unknown) => one,
    )
    const { code, message, retryable, nextAction } = error as Record<string, unknown>
    return { code, message, retryable, nextAction }
  }
  for (const port of [443, portOf(https), 1]) {
    for (const address of ['127.0.0.1', '10.0.0.5', '169.254.169.254', '::1', 'fd00::1'])
      expect(await output(at(address), port)).toEqual(await output(unknown, port))
    expect(await output(at(), port)).toEqual(await output(unknown, port))
  }
})

test('the name is resolved once, so that a second answer cannot differ', async () => {
  let calls = 0
  const resolve: Resolver = () => Promise.resolve(calls++ === 0 ? ['127.0.0.1'] : ['10.0.0.1'])
  await safeFetch(`https://hooks.test:${portOf(https)}/`, { ...loopbackAllowed, resolve })
  expect(calls).toBe(1)
})

test('a redirect is an answer and is not followed', async () => {
  seen = []
  const response = await safeFetch(`https://hooks.test:${portOf(https)}/moved`, {
    ...loopbackAllowed,
    resolve: at('127.0.0.1'),
  })
  expect(response.status).toBe(302)
  expect(seen).toHaveLength(1)
})

test('a large answer is cut off', async () => {
  await expect(safeFetch(`http://127.0.0.1:${portOf(http)}/large`, { profile: 'operator' })).rejects.toMatchObject({
    code: 'too_large',
  })
})

test.each(['/never', '/drip'])('the deadline covers the whole answer (%s)', async (path) => {
  await expect(
    safeFetch(`http://127.0.0.1:${portOf(http)}${path}`, { profile: 'operator', timeoutMs: 30 }),
  ).rejects.toMatchObject({ code: 'unavailable', message: '127.0.0.1 did not answer in time.' })
})

test('the deadline covers the resolution of the name', async () => {
  await expect(
    safeFetch('https://slow.test/', { profile: 'tenant', timeoutMs: 20, resolve: () => new Promise(() => undefined) }),
  ).rejects.toMatchObject({ code: 'unavailable' })
})

test('an abort during the handshake closes the connection', async () => {
  const silent = createTcpServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const controller = new AbortController()
  const reason = new Error('canceled by a person')
  const accepted = once(silent, 'connection') as Promise<[Socket]>
  const fetching = safeFetch(`https://127.0.0.1:${portOf(silent)}/`, {
    profile: 'operator',
    signal: controller.signal,
  })
  const failure = fetching.catch((error: unknown) => error)
  const [socket] = await accepted
  controller.abort(reason)
  expect(await failure).toBe(reason)
  socket.resume()
  if (!socket.closed) await once(socket, 'close')
  silent.close()
})

test('a name that is resolved after the abort is not connected to', async () => {
  let connections = 0
  const server = createTcpServer((socket) => {
    connections += 1
    socket.destroy()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const controller = new AbortController()
  const response = Promise.withResolvers<string[]>()
  const calls = Promise.withResolvers<void>()
  const resolve: Resolver = () => {
    calls.resolve()
    return response.promise
  }
  const fetching = safeFetch(`http://late.test:${portOf(server)}/`, {
    profile: 'operator',
    signal: controller.signal,
    resolve,
  })
  const failure = fetching.catch((error: unknown) => error)
  await calls.promise
  const reason = new Error('too late')
  controller.abort(reason)
  expect(await failure).toBe(reason)
  response.resolve(['127.0.0.1'])
  // A connection opened before this one would have been accepted before it.
  const later = connect(portOf(server), '127.0.0.1')
  await once(later, 'close')
  expect(connections).toBe(1)
  server.close()
})

test.each([
  ['a head without end', `HTTP/1.1 200 OK\r\nx: ${'a'.repeat(20_000)}`],
  ['many headers', `HTTP/1.1 200 OK\r\n${'x: abcd\r\n'.repeat(5_000)}\r\n`],
  ['what is no HTTP', 'SSH-2.0-test\r\n'],
  ['a body shorter than announced', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc'],
  ['nothing', ''],
])('%s is not a valid response', async (_label, text) => {
  let connections = 0
  const server = createTcpServer((socket) => {
    connections += 1
    socket.on('error', () => undefined)
    socket.once('data', () => socket.end(text))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  await expect(
    safeFetch(`http://127.0.0.1:${portOf(server)}/`, { profile: 'operator', timeoutMs: 60_000 }),
  ).rejects.toMatchObject({ code: 'unavailable', message: 'No answer from 127.0.0.1.' })
  expect(connections).toBe(1)
  server.close()
})

test('each request has a connection of its own, which ends with it', async () => {
  const sockets: Socket[] = []
  const count = (socket: Socket) => sockets.push(socket)
  http.on('connection', count)
  for (let n = 0; n < 2; n += 1)
    await safeFetch(`http://127.0.0.1:${portOf(http)}/`, { profile: 'operator', method: 'POST', body: 'x' })
  http.off('connection', count)
  expect(sockets).toHaveLength(2)
  for (const socket of sockets) if (!socket.closed) await once(socket, 'close')
})

test('an abort of the caller arrives as such', async () => {
  const controller = new AbortController()
  const reason = new Error('canceled by a person')
  const fetching = safeFetch(`http://127.0.0.1:${portOf(http)}/never`, {
    profile: 'operator',
    signal: controller.signal,
  })
  controller.abort(reason)
  await expect(fetching).rejects.toBe(reason)
})

test('the second address serves when the first is closed', async () => {
  const closed = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => closed.once('listening', resolve))
  // Nothing listens on this port of the other loopback addresses.
  const response = await safeFetch(`http://two.test:${portOf(http)}/`, {
    profile: 'operator',
    resolve: at('127.0.0.9', '127.0.0.1'),
  })
  expect(response.status).toBe(200)
  closed.close()
})

test('a mapped server address leads to where the operator says', async () => {
  const response = await safeFetch(`https://hooks.test:8443/`, {
    profile: 'tenant',
    ca: testCertificate.cert,
    addressMap: { 'hooks.test:8443': `127.0.0.1:${portOf(https)}` },
  })
  expect(response.status).toBe(200)
})

test('safeConnect refuses private addresses before a packet is sent, and connects to allowed ones', async () => {
  let connections = 0
  const server = createTcpServer((socket) => {
    connections += 1
    socket.end('SSH-2.0-test')
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  await expect(safeConnect('127.0.0.1', portOf(server), { profile: 'tenant' })).rejects.toMatchObject({
    code: 'invalid',
  })
  expect(connections).toBe(0)
  const socket = await safeConnect('ssh.test', portOf(server), { ...loopbackAllowed, resolve: at('127.0.0.1') })
  const banner = await new Promise<string>((resolve) => socket.once('data', (data) => resolve(data.toString())))
  expect(banner).toBe('SSH-2.0-test')
  socket.destroy()
  server.close()
})

test("validates an organization's address on input, before resolving names", () => {
  for (const url of ['https://s3.example.com', 'https://8.8.8.8:9000/x', 'https://[2606:4700::1]/'])
    expect(() => checkTenantUrl(url)).not.toThrow()
  const hosts = [
    'localhost',
    'a.localhost.',
    '127.0.0.1',
    '2130706433',
    '0x7f.1',
    '169.254.169.254',
    '10.0.0.1',
    '0.0.0.0',
    'metadata.google.internal',
    'nas.local',
  ]
  for (const url of ['http://s3.example.com', 'ftp://8.8.8.8', 'x', ...hosts.map((host) => `https://${host}`)])
    expect(() => checkTenantUrl(url), url).toThrow(expect.objectContaining({ code: 'invalid' }) as Error)
  for (const host of ['::1', '::ffff:127.0.0.1', 'fd00::1', 'fe80::1', '64:ff9b::7f00:1', '2002:7f00:1::'])
    expect(() => checkTenantUrl(`https://[${host}]`), host).toThrow(/not public/)
  for (const url of ['https://10.0.0.1', 'https://nas.local'])
    expect(() => checkTenantUrl(url, { allowPrivateCidrs: ['10.0.0.0/8'] }), url).not.toThrow()
  expect(() => checkTenantUrl('https://127.0.0.1:9000', { addressMap: { '127.0.0.1:9000': 'x:1' } })).not.toThrow()
})
