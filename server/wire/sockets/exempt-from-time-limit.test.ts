import { once } from 'node:events'
import { connect, type AddressInfo, type Socket as TcpSocket } from 'node:net'
import { io, type Socket } from 'socket.io-client'
import { afterEach, expect, test } from 'vitest'
import { sessionOf } from '#tests/support/documents.ts'
import { defaultConnectionLimits, type ConnectionLimits } from '../connections/connection-limits.ts'
import { createGuardedServer } from '../connections/guarded-server.ts'
import type { WireOptions } from '../options.ts'
import { createSocketServer } from './socket-server.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

/** A socket server where every cookie belongs to Ann; `limits` can be changed during a test. */
async function setUp() {
  const limits: { -readonly [key in keyof ConnectionLimits]: ConnectionLimits[key] } = defaultConnectionLimits()
  const server = createGuardedServer(
    (request, response) => sockets.handleRequest(request, response),
    { warn: () => undefined },
    limits,
  )
  const session = sessionOf('ann@example.com', null)
  const sockets = await createSocketServer({
    config: { url: 'http://localhost', trustedProxies: [] },
    documents: { onEvent: () => () => undefined },
    sessions: { resolveCookie: () => Promise.resolve({ session, csrfToken: '' }), onRevoked: () => () => undefined },
    log: { debug: () => undefined, error: () => undefined },
  } as unknown as WireOptions)
  server.on('upgrade', (request, socket, head) => sockets.handleUpgrade(request, socket, head))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => new Promise((resolve) => server.close(resolve)), sockets.close)
  const { port } = server.address() as AddressInfo
  const dial = (transports: string[]): Socket => {
    const socket = io(`http://127.0.0.1:${port}/127.0.0.1`, {
      extraHeaders: { cookie: 'sid=ann' },
      forceNew: true,
      reconnection: false,
      transports,
    })
    closing.push(() => socket.close())
    return socket
  }
  /** A connection that has sent this much, once the server has received it. */
  const connection = async (sent = ''): Promise<TcpSocket> => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    closing.push(() => socket.destroy())
    const done = sent === '' ? once(server, 'connection') : once(server, 'upgrade')
    socket.write(sent)
    await done
    return socket
  }
  return { server, limits, dial, connection }
}

const event = (socket: Socket, name: string) =>
  new Promise<unknown>((resolve) => {
    socket.once(name, resolve)
  })

const handshake = [
  'GET /socket.io/?EIO=4&transport=websocket HTTP/1.1',
  'Host: 127.0.0.1',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  `Sec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}`,
].join('\r\n')

test('where room is needed strangers’ websockets go before those of people', async () => {
  const { server, limits, dial, connection } = await setUp()
  const direct = dial(['websocket'])
  await event(direct, 'connect')
  const upgraded = dial(['polling', 'websocket'])
  const hasWebsocket = new Promise((resolve) => upgraded.io.engine.once('upgrade', resolve))
  await event(upgraded, 'connect')
  await hasWebsocket
  const stranger = await connection(`${handshake}\r\n\r\n`)
  limits.most = await new Promise((resolve) => server.getConnections((_error, count) => resolve(count)))
  await connection()
  await new Promise((resolve) => stranger.resume().once('close', resolve))
  for (const socket of [direct, upgraded]) {
    const pong = event(socket, 'pong')
    socket.emit('ping')
    await pong
    expect(socket.io.engine.transport.name).toBe('websocket')
  }
})
