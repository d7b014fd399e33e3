import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import ssh2, { type Connection } from 'ssh2'
import { newHostKeys } from './simulated-server.ts'
import { portOf } from '../network/port-of.ts'
import { parseHostKey } from './host-key.ts'
import { address, createTestSsh, manualTimers } from './ssh-fixture.ts'

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

const keys = newHostKeys()
const target = { id: 'server0001', address, port: 22, user: 'root', hostKey: keys.public.trim() }
const limits = { deadlineMs: 1234 }

/** A server whose connections are handled by the test, and a client of it. */
async function listen(server: Server, onSocket?: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket.on('error', () => undefined).resume())
    onSocket?.(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const timers = manualTimers()
  const ssh = createTestSsh(portOf(server), { timers })
  closing.push(() => {
    ssh.close()
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { ssh, timers, sockets }
}
const rawServer = (onSocket: (socket: Socket) => void) => listen(createServer(), onSocket)

/** An SSH server that lets everybody in, and what its clients do. */
async function sshServer(onReady: (connection: Connection) => void, hostKeys: readonly string[] = [keys.private]) {
  const seen: string[] = []
  const listener = createServer()
  const server = new ssh2.Server({ hostKeys: [...hostKeys] }, (connection) => {
    seen.push('connected')
    connection.on('authentication', (context) => {
      seen.push(`authentication by ${context.method}`)
      context.accept()
    })
    connection.on('ready', () => onReady(connection))
    connection.on('error', () => undefined)
    connection.on('close', () => seen.push('closed'))
  })
  return { ...(await listen(listener, (socket) => server.injectSocket(socket))), seen }
}

test('a changed host key ends the connection before the server learns who connects', async () => {
  const other = ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256 })
  const { ssh, seen } = await sshServer(() => undefined, [other.private])
  const failure = await ssh.read(target, ['true'], limits).catch((error: unknown) => error)
  expect(failure).toMatchObject({ kind: 'host_key_changed', code: 'conflict', retryable: false })
  for (const line of [keys.public, other.public])
    expect(failure).toHaveProperty('message', expect.stringContaining(parseHostKey(line.trim())?.fingerprint ?? '-'))
  await expect.poll(() => seen).toEqual(['connected', 'closed'])
})

test('of several host keys the known one is asked for', async () => {
  const other = ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256 })
  const { ssh } = await sshServer((connection) => connection.end(), [keys.private, other.private])
  const known = { ...target, hostKey: other.public.trim() }
  await expect(ssh.read(known, ['true'], limits)).rejects.toMatchObject({ kind: 'lost' })
})

test('the first contact sees the host key and does not log in', async () => {
  const { ssh, seen } = await sshServer(() => undefined)
  expect(await ssh.firstContact({ address, port: 22 })).toEqual(parseHostKey(target.hostKey))
  await expect.poll(() => seen).toEqual(['connected', 'closed'])
})

test('a server that never answers, or without end, is given up', async () => {
  const silent = await rawServer(() => undefined)
  const waiting = silent.ssh.read(target, ['true'], { deadlineMs: 60_000 })
  await expect.poll(() => silent.sockets.size).toBe(1)
  silent.timers.fire(20_000)
  await expect(waiting).rejects.toMatchObject({ kind: 'unreachable', retryable: true })
  await expect.poll(() => [...silent.sockets].every((socket) => socket.readableEnded)).toBe(true)

  for (const greeting of ['hello\r\n', 'x']) {
    const flood = await rawServer((socket) => void socket.write(greeting.repeat(100_000)))
    await expect(flood.ssh.firstContact(target)).rejects.toMatchObject({
      kind: expect.stringMatching(/^(too_much_output|unreachable)$/),
    })
  }
  const other = await rawServer((socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
  await expect(other.ssh.firstContact(target)).rejects.toMatchObject({ kind: 'unreachable' })
})

test('a server that sends what nobody asked for loses its connection', async () => {
  const { ssh, seen } = await sshServer((connection) => {
    connection.on('session', (accept) => {
      accept().on('exec', (run) => {
        const channel = run()
        channel.write('easydash ok\n')
        channel.exit(0)
        channel.end()
        channel.resume()
        // Requests that want an answer.
        const protocol = Reflect.get(connection, '_protocol') as { ping(): void }
        channel.on('close', () => {
          for (let count = 0; count < 1_500; count += 1) protocol.ping()
        })
      })
    })
  })
  expect(await ssh.read(target, ['true'], limits)).toMatchObject({ code: 0 })
  await expect.poll(() => seen).toContain('closed')
})

test('a command that the server does not end takes the connection with it', async () => {
  const signals: string[] = []
  let commands = 0
  const { ssh, timers } = await sshServer((connection) => {
    connection.on('session', (accept) => {
      const session = accept()
      session.on('exec', (run) => {
        run()
        commands += 1
      })
      session.on('signal', (_accept, _reject, { name }) => signals.push(name))
    })
  })
  const controller = new AbortController()
  const aborted = ssh.run(target, ['true'], { ...limits, signal: controller.signal })
  const other = ssh.run(target, ['true'], limits)
  await expect.poll(() => commands).toBe(2)
  controller.abort(new Error('Canceled.'))
  await expect(aborted).rejects.toThrow('Canceled.')
  await expect.poll(() => signals).toEqual(['TERM'])
  timers.fire(5_000)
  await expect(other).rejects.toMatchObject({ kind: 'lost' })
})

test('a server without a shell, and one without sessions, are told apart', async () => {
  const noShell = await sshServer((connection) => {
    connection.on('session', (accept) => {
      accept().on('exec', (run) => {
        const channel = run()
        channel.stderr.write('This account is \u001B[1mnot available\u001B[0m.\nBye.\n')
        channel.exit(1)
        channel.end()
      })
    })
  })
  await expect(noShell.ssh.read(target, ['true'], limits)).rejects.toMatchObject({
    kind: 'unexpected',
    message: `${address} can't run commands: This account is not available.`,
  })
  const noSession = await sshServer((connection) => connection.on('session', (_accept, reject) => reject()))
  await expect(noSession.ssh.read(target, ['true'], limits)).rejects.toMatchObject({ kind: 'unreachable' })
})
