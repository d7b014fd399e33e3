import { once } from 'node:events'
import type { Server } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { defaultConnectionLimits, type ConnectionLimits } from './connection-limits.ts'
import { createGuardedServer } from './guarded-server.ts'
import { markAuthenticated, rejectUpgrade } from './upgrades.ts'

const open: { server: Server; sockets: Socket[] }[] = []
// For its own limits time passes when a test lets it; those of Node have their own timers.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }))
afterEach(async () => {
  vi.useRealTimers()
  for (const { server, sockets } of open.splice(0)) {
    for (const socket of sockets) socket.destroy()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

/** A server that responds to every request once its body is complete, and connections to it. */
async function setUp(changes: Partial<ConnectionLimits> = {}) {
  const handled: string[] = []
  let bytes = 0
  const warned: string[] = []
  const server = createGuardedServer(
    (request, response) => {
      handled.push(request.url ?? '')
      request.on('error', () => undefined)
      request.prependListener('data', (chunk: Buffer) => (bytes += chunk.length))
      if (request.url === '/answered') response.end()
      else if (request.url === '/large') response.end(Buffer.alloc(64 * 1024 * 1024))
      else if (request.url !== '/held') request.resume().once('end', () => response.end(request.url))
    },
    { warn: (message) => void warned.push(message) },
    { ...defaultConnectionLimits(), ...changes },
  )
  const sockets: Socket[] = []
  open.push({ server, sockets })
  // The server does not notice when the client of an upgraded connection disconnects if nobody reads from it.
  server.on('connection', (socket) => sockets.push(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  /** The server's end of the last connection. */
  let accepted: Socket | null = null
  /** A connection that has sent this much, once the server has received it. */
  const connection = async (sent = '', options: { allowHalfOpen?: boolean } = {}): Promise<Socket> => {
    const arrival = once(server, 'connection') as Promise<[Socket]>
    const socket = connect({ port, host: '127.0.0.1', ...options }).on('error', () => undefined)
    sockets.push(socket)
    const [other] = await arrival
    accepted = other
    if (sent !== '') {
      const arrived = once(other, 'data')
      socket.write(sent)
      await Promise.race([arrived, once(other, 'close')])
    }
    return socket
  }
  return { server, handled, warned, connection, received: () => bytes, accepted: () => accepted as Socket }
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`
const post = (path: string, length: number, sent = '') =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n${sent}`

/** Everything the server sends until it closes the connection. */
async function readToEnd(socket: Socket): Promise<string> {
  let text = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve))
  return text
}

/** The first response on a connection. */
async function answer(socket: Socket): Promise<string> {
  const [bytes] = (await once(socket, 'data')) as [Buffer]
  return bytes.toString('utf8').split('\r\n')[0] ?? ''
}

test('at the limit a new connection replaces the oldest one without a request', async () => {
  const { connection, handled } = await setUp({ most: 10 })
  const silent: Socket[] = []
  for (let count = 0; count < 10; count += 1)
    silent.push(await connection(count % 2 === 0 ? '' : 'GET / HTTP/1.1\r\nX'))
  const closed = silent.slice(0, 3).map((socket) => readToEnd(socket))
  for (const path of ['/1', '/2', '/3']) {
    const socket = await connection()
    socket.write(get(path))
    expect(await answer(socket)).toBe('HTTP/1.1 200 OK')
  }
  await Promise.all(closed)
  expect(handled).toEqual(['/1', '/2', '/3'])
  expect(silent.slice(3).map((socket) => socket.closed)).not.toContain(true)
})

test('after them connections between two requests go, then bodies on their way; never a request that is being answered', async () => {
  const { connection } = await setUp({ most: 3 })
  const body = await connection(post('/body', 10, 'half'))
  const held = await connection(get('/held'))
  const idle = await connection()
  idle.write(get('/'))
  await answer(idle)
  const [idleEnds, bodyEnds] = [readToEnd(idle), readToEnd(body)]
  await connection(get('/held'))
  await idleEnds
  expect(body.destroyed).toBe(false)
  await connection(get('/held'))
  await bodyEnds
  expect(held.destroyed).toBe(false)
  // No connection is left that could be closed.
  expect(await readToEnd(await connection())).toBe('')
  expect(held.destroyed).toBe(false)
})

const upgrade = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'

test('unauthenticated upgraded connections are replaced, rejected or not; authenticated ones stay', async () => {
  const { connection, server } = await setUp({ most: 6 })
  const upgraded: Duplex[] = []
  server.on('upgrade', (_request, socket) => void upgraded.push(socket))
  const open = []
  for (let count = 0; count < 6; count += 1) open.push(await connection(upgrade))
  const [authenticated, ...anonymous] = open as [Socket, ...Socket[]]
  markAuthenticated(upgraded[0] as Duplex)
  for (const socket of anonymous.slice(0, 4)) {
    const ends = readToEnd(socket)
    const other = await connection(get('/held'))
    await ends
    expect(other.destroyed).toBe(false)
  }
  expect([authenticated.closed, anonymous[4]?.closed]).toEqual([false, false])
})

test('at their own limit the oldest unauthenticated upgraded connection is closed, even with room for others', async () => {
  const { connection, server } = await setUp({ upgrades: 2 })
  const upgraded: Duplex[] = []
  server.on('upgrade', (_request, socket) => void upgraded.push(socket))
  const authenticated = await connection(upgrade)
  markAuthenticated(upgraded[0] as Duplex)
  const [oldest, ...others] = [await connection(upgrade), await connection(upgrade)]
  const ends = readToEnd(oldest)
  others.push(await connection(upgrade))
  await ends
  expect([authenticated, ...others].map((socket) => socket.closed)).toEqual([false, false, false])
})

test('of heads and upgraded connections those go that are more', async () => {
  const { connection, server } = await setUp({ most: 5 })
  server.on('upgrade', () => undefined)
  const handshake = await connection(upgrade)
  const silent = await connection()
  for (let count = 0; count < 3; count += 1) await connection()
  const ends = readToEnd(silent)
  await connection()
  await ends
  expect(handshake.closed).toBe(false)
})

test('an upgraded connection has limited time to authenticate, also after its protocol ended', async () => {
  const { connection, server } = await setUp({ upgradeMs: 20_000 })
  const upgraded: Duplex[] = []
  server.on('upgrade', (_request, socket) => void upgraded.push(socket))
  const kept = await connection(upgrade)
  const over = markAuthenticated(upgraded[0] as Duplex)
  const late = await connection(upgrade)
  vi.advanceTimersByTime(20_000)
  expect(upgraded.map((socket) => socket.destroyed)).toEqual([false, false])
  vi.advanceTimersByTime(5000)
  await readToEnd(late)
  expect(kept.closed).toBe(false)
  over()
  vi.advanceTimersByTime(25_000)
  await readToEnd(kept)
})

test('a refused upgrade is answered and closed, also for who never closes', async () => {
  const { connection, server, accepted } = await setUp()
  server.on('upgrade', (_request, socket) => rejectUpgrade(socket, '501 Not Implemented'))
  const socket = await connection('', { allowHalfOpen: true })
  const closed = new Promise((resolve) => accepted().once('close', resolve))
  socket.write(upgrade)
  expect(await answer(socket)).toBe('HTTP/1.1 501 Not Implemented')
  await closed
})

test('of too many unfinished bodies the oldest is closed, and earlier requests are answered', async () => {
  const { connection, handled } = await setUp({ bodies: 3 })
  const complete = await connection(post('/held', 4, 'full'))
  const halves = []
  for (let count = 0; count < 3; count += 1) halves.push(await connection(post(`/${count}`, 10, 'half')))
  await readToEnd(halves[0] as Socket)
  expect([complete, ...halves.slice(1)].map((socket) => socket.destroyed)).toEqual([false, false, false])
  expect(handled).toEqual(['/held', '/0', '/1', '/2'])
})

test('connections without a head, or with a body that is too slow, are closed', async () => {
  const { connection, handled, server } = await setUp({ sweepMs: 20, body: { graceMs: 20_000, bytesPerSecond: 500 } })
  const silent = await connection()
  const half = await connection('GET /half HTTP/1.1\r\n')
  const slow = await connection(post('/slow', 1000, 'x'))
  const chunked = await connection('POST /chunked HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n')
  // Once the whole body is sent, waiting for the response has no limit.
  const held = await connection(post('/held', 4, 'full'))
  expect(server.headersTimeout).toBe(15_000)
  // Node reads it at each of its checks.
  server.headersTimeout = 1
  vi.advanceTimersByTime(21_000)
  const texts = await Promise.all([silent, half, slow, chunked].map(readToEnd))
  for (const text of texts.slice(0, 2)) expect(text).toContain('408')
  expect(handled).toEqual(['/slow', '/chunked', '/held'])
  expect(held.destroyed).toBe(false)
})

test.each(['/', '/answered'])('a body in countless pieces ends its connection, read or not: %s', async (path) => {
  const { connection, received } = await setUp({ body: { graceMs: 1e9, bytesPerSecond: 500 } })
  const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n`
  const usual = await connection(`${head}${'200\r\n'}${'x'.repeat(512)}\r\n${'1\r\nx\r\n'.repeat(100)}0\r\n\r\n`)
  expect(await answer(usual)).toBe('HTTP/1.1 200 OK')
  expect(received()).toBe(path === '/' ? 612 : 0)
  const tiny = await connection()
  const closed = readToEnd(tiny)
  tiny.write(head)
  tiny.write('1\r\nx\r\n'.repeat(10_000))
  await closed
  expect(received()).toBeLessThan(1000)
})

test('pieces are counted over all requests of a connection', async () => {
  const { connection } = await setUp({ chunks: { burst: 250, perSecond: 0, bytes: 512 } })
  const request = `POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(100)}0\r\n\r\n`
  const socket = await connection()
  const text = readToEnd(socket)
  for (let count = 0; count < 3; count += 1) socket.write(request)
  expect((await text).match(/200 OK/g)).toHaveLength(2)
})

test('aborts a response that the client does not read', async () => {
  const { connection, accepted } = await setUp({ stalledMs: 50 })
  const held = await connection(get('/held'))
  const socket = await connection()
  socket.pause()
  socket.write(get('/large'))
  await new Promise((resolve) => accepted().once('close', resolve))
  // No activity while the response is being prepared is not the client's fault.
  expect(held.destroyed).toBe(false)
})

test('closes a connection that pipelines many requests, and starts few of them', async () => {
  const { connection, handled } = await setUp()
  const socket = await connection()
  const closed = readToEnd(socket)
  socket.write(get('/held').repeat(2500))
  await closed
  expect(handled.length).toBeLessThanOrEqual(8)
  // Sequential requests are not limited.
  const patient = await connection()
  for (let count = 0; count < 100; count += 1) {
    patient.write(get(`/${count}`))
    expect(await answer(patient)).toBe('HTTP/1.1 200 OK')
  }
})

test('a request with too many lines in its head is refused', async () => {
  const { connection, handled } = await setUp()
  const lines = (count: number) => Array.from({ length: count }, (_, at) => `x-${at}: 1\r\n`).join('')
  const socket = await connection()
  socket.write(`GET /many HTTP/1.1\r\nHost: a\r\n${lines(199)}\r\n`)
  expect(await answer(socket)).toBe('HTTP/1.1 200 OK')
  socket.write(`GET /more HTTP/1.1\r\nHost: a\r\n${lines(200)}\r\n`)
  expect(await readToEnd(socket)).toContain('HTTP/1.1 431')
  expect(handled).toEqual(['/many'])
})

test('logs connections closed to make room, once for many', async () => {
  const { connection, warned } = await setUp({ most: 2 })
  for (let count = 0; count < 6; count += 1) await connection()
  vi.advanceTimersByTime(60_000)
  expect(warned).toHaveLength(1)
})
