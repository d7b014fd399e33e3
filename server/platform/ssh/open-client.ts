import type { KeyObject } from 'node:crypto'
import type { Socket } from 'node:net'
import type ssh2 from 'ssh2'
import type { Client, ConnectConfig } from 'ssh2'
import { abortError } from '../abort-error.ts'
import { createKeyAgent } from './client-key.ts'
import { hostKeyAlgorithms, hostKeyOf, type HostKey } from './host-key.ts'
import { SshError, sshErrors } from './ssh-error.ts'

/** Until a server has let us in it sends about 3 kB, and a banner. */
const maxGreetingBytes = 64 * 1024

/** More of our replies than this wait only if the other side makes us send them and reads nothing. */
const maxBacklogBytes = 4 * 1024 * 1024

/**
 * Without groups of the server's choice and large ones, which would keep the processor busy; without SHA-1; and without compression,
 * which makes much of little.
 */
const algorithms: ConnectConfig['algorithms'] = {
  kex: [
    'curve25519-sha256',
    'curve25519-sha256@libssh.org',
    'ecdh-sha2-nistp256',
    'ecdh-sha2-nistp384',
    'ecdh-sha2-nistp521',
  ],
  cipher: [
    'aes128-gcm@openssh.com',
    'aes256-gcm@openssh.com',
    'aes128-ctr',
    'aes256-ctr',
    'chacha20-poly1305@openssh.com',
  ],
  hmac: ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com', 'hmac-sha2-256', 'hmac-sha2-512'],
  compress: ['none'],
}

/** A new TCP connection. It must be used at once: nothing handles its errors yet. */
export interface Connected {
  /** The module, which is loaded with the first connection. */
  readonly library: typeof ssh2
  readonly socket: Socket
  readonly signal: AbortSignal
}

/** How to log in. */
export interface Login {
  readonly user: string
  /** An Ed25519 key. */
  readonly privateKey: KeyObject
  /** The only host key that is accepted. */
  readonly hostKey: HostKey
}

/** How much a server may still send. */
export interface TrafficLimit {
  add(bytes: number): void
  set(bytes: number): void
}

/** An authenticated connection. */
export interface OpenClient {
  readonly client: Client
  readonly socket: Socket
  readonly traffic: TrafficLimit
}

interface Attempt extends OpenClient {
  /** The key that the server proved to have, once the handshake is complete. */
  readonly found: () => HostKey | null
  readonly failed: Promise<never>
  forgetKey(): void
}

/**
 * Begins the handshake on a connected socket. Another host key than `login.hostKey` ends it, before the server learns who we are.
 * Afterward every error destroys the socket, as does an abort until `signal` is released.
 */
function begin(
  library: typeof ssh2,
  socket: Socket,
  { address, login, signal }: { address: string; login: Login | null; signal: AbortSignal },
): Attempt {
  const errors = sshErrors(address)
  const client = new library.Client()
  const keys = login && createKeyAgent(library, login.privateKey)
  const failure = Promise.withResolvers<never>()
  failure.promise.catch(() => undefined)
  let found: HostKey | null = null
  let rejected: SshError | null = null
  const fail = (error: unknown) => {
    failure.reject(error)
    socket.destroy()
  }
  client.on('error', (error) => {
    if (rejected !== null || error instanceof SshError) return fail(rejected ?? error)
    return fail(
      error.level === 'client-authentication' ? errors.refusedKey(login?.user ?? '', error) : errors.unreachable(error),
    )
  })
  client.once('close', () => fail(errors.unreachable()))
  const abort = () => fail(abortError(signal))
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  client.connect({
    sock: socket,
    ident: 'Easydash',
    username: login?.user ?? '',
    ...(keys && { agent: keys.agent }),
    authHandler: ['agent'],
    hostVerifier: (sent: Buffer): boolean => {
      found = hostKeyOf(sent)
      if (found === null) rejected = errors.unreachable(new Error('Its host key is malformed or too weak.'))
      else if (login !== null && found.line !== login.hostKey.line)
        rejected = errors.hostKeyChanged(login.hostKey.fingerprint, found.fingerprint)
      return rejected === null
    },
    algorithms: { ...algorithms, serverHostKey: hostKeyAlgorithms(login?.hostKey ?? null) },
    readyTimeout: 0,
    keepaliveInterval: 15_000,
  })
  const traffic = limitTraffic(socket, maxGreetingBytes, errors.tooMuchOutput)
  return { client, socket, traffic, found: () => found, failed: failure.promise, forgetKey: () => keys?.forget() }
}

/** Authenticates on a connected socket. Throws SshError, or the reason of the signal. */
export async function openClient(
  { library, socket, signal }: Connected,
  address: string,
  login: Login,
): Promise<OpenClient> {
  const attempt = begin(library, socket, { address, login, signal })
  const ready = new Promise<void>((resolve) => attempt.client.once('ready', resolve))
  try {
    await Promise.race([ready, attempt.failed])
  } finally {
    attempt.forgetKey()
  }
  return { client: attempt.client, socket, traffic: attempt.traffic }
}

/**
 * Completes the handshake, in which the server proves that it has the host key, and ends the connection before anything else is
 * sent. Throws SshError, or the reason of the signal.
 */
export async function seeHostKey({ library, socket, signal }: Connected, address: string): Promise<HostKey> {
  const attempt = begin(library, socket, { address, login: null, signal })
  const complete = new Promise<void>((resolve) =>
    attempt.client.once('handshake', () => {
      // Right after this event, ssh2 asks for authentication.
      socket.destroy()
      resolve()
    }),
  )
  await Promise.race([complete, attempt.failed])
  const found = attempt.found()
  if (found === null) throw sshErrors(address).unreachable()
  return found
}

/**
 * Destroys a socket with an error when a server sends more than what was asked for can bring, in whatever kind of packets. Attach
 * it after the listeners that process the data.
 */
function limitTraffic(socket: Socket, bytes: number, exceeded: () => Error): TrafficLimit {
  let left = bytes
  socket.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0 || socket.writableLength > maxBacklogBytes) socket.destroy(exceeded())
  })
  return {
    add: (more) => {
      left += more
    },
    set: (now) => {
      left = now
    },
  }
}
