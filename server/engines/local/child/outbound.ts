import { lookup } from 'node:dns/promises'
import { EventEmitter } from 'node:events'
import { isIP, Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { duplexPair, type Duplex } from 'node:stream'
import { isPublicUnicast, unmapIpv4 } from '#server/platform/addresses.ts'

/** The only network PHP has. */
export interface OutboundPolicy {
  /** The site's own host name and port: such connections end in this very process. */
  ownHost: string
  ownPort: number
  /** Takes the server side of a connection the site makes to itself. */
  acceptOwn(connection: Duplex): void
}

/** What PHP-WASM expects instead of the `ws` package's class. */
export type SocketConstructor = new (url: string) => EventEmitter

/** Thrown inside PHP-WASM's socket calls: it turns this name and number into errno EOPNOTSUPP for PHP. */
class ErrnoError extends Error {
  readonly errno = 138
  constructor() {
    super('Operation not supported')
    this.name = 'ErrnoError'
  }
}

/** PHP may not listen: nobody but the engine's proxy talks to a site. */
class RefusedServer {
  constructor() {
    throw new ErrnoError()
  }
}

/** PHP-WASM's `websocket` option: every socket of PHP becomes a guarded TCP connection of this process. */
export function outboundSockets(policy: OutboundPolicy): Record<string, unknown> {
  const decorated = class extends GuardedSocket {
    constructor(url: string) {
      super(url, policy)
    }
  }
  return {
    url: (_socket: unknown, host: string, port: number) =>
      `ws://php/?${new URLSearchParams({ host: String(host), port: String(port) }).toString()}`,
    subprotocol: 'binary',
    decorator: (): SocketConstructor => decorated,
    serverDecorator: (): typeof RefusedServer => RefusedServer,
  }
}

/**
 * Addresses of this machine. Being reachable from the internet, its web ports are open to sites;
 * everything else on it is not (a database on a public interface, the dashboard's own port).
 */
function isOwnInterface(ip: string): boolean {
  return Object.values(networkInterfaces())
    .flat()
    .some((entry) => entry !== undefined && unmapIpv4(entry.address) === unmapIpv4(ip))
}

/** Whether a site may connect to this address and port. */
export function isAllowed(ip: string, port: number): boolean {
  if (!isPublicUnicast(ip)) return false
  return port === 80 || port === 443 || !isOwnInterface(ip)
}

/**
 * The one address to connect to. All addresses of a name must be public: a name that mixes
 * public and private ones is an attempt to get past the check.
 * @returns null when the connection is refused
 */
export async function checkedAddress(host: string, port: number): Promise<string | null> {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return null
  if (isIP(host) !== 0) return isAllowed(host, port) ? host : null
  try {
    const addresses = await lookup(host, { all: true })
    const first = addresses[0]
    return first !== undefined && addresses.every(({ address }) => isAllowed(address, port)) ? first.address : null
  } catch {
    // An unknown name: PHP sees a refused connection, as with any other resolver failure.
    return null
  }
}

/** Tells the guard below which connections passed the check. */
const checked = new WeakSet<Socket>()

/**
 * Second fence, for whatever code of this process opens a connection past the first:
 * only sockets made for a checked address may connect. Call once, before PHP starts.
 */
export function fenceSockets(): void {
  const original = Socket.prototype.connect
  const fenced = function (this: Socket, ...args: Parameters<typeof original>): Socket {
    if (checked.has(this)) return original.apply(this, args)
    process.nextTick(() =>
      this.destroy(Object.assign(new Error('Connections of this process are refused.'), { code: 'EACCES' })),
    )
    return this
  }
  Socket.prototype.connect = fenced as typeof original
}

/** A TCP connection with the face of a `ws` client, as PHP-WASM's socket layer uses it. */
class GuardedSocket extends EventEmitter {
  readonly CONNECTING = 0
  readonly OPEN = 1
  readonly CLOSING = 2
  readonly CLOSED = 3
  readyState = 0
  binaryType = 'arraybuffer'
  readonly url: string
  #stream: Duplex | null = null

  constructor(url: string, policy: OutboundPolicy) {
    super()
    this.url = url
    const query = new URL(url).searchParams
    const host = query.get('host') ?? ''
    const port = Number(query.get('port'))
    this.#open(host, port, policy).catch((error: unknown) => this.#fail(error))
  }

  async #open(host: string, port: number, policy: OutboundPolicy): Promise<void> {
    if (host.toLowerCase() === policy.ownHost && port === policy.ownPort) {
      const [ours, theirs] = duplexPair()
      policy.acceptOwn(theirs)
      this.#attach(ours)
      queueMicrotask(() => this.#opened())
      return
    }
    const address = await checkedAddress(host, port)
    if (this.readyState !== this.CONNECTING) return
    if (address === null) throw Object.assign(new Error('Connection refused'), { code: 'ECONNREFUSED' })
    const socket = new Socket()
    checked.add(socket)
    this.#attach(socket)
    socket.once('connect', () => this.#opened())
    socket.connect({ host: address, port })
  }

  #attach(stream: Duplex): void {
    this.#stream = stream
    stream.on('data', (chunk: Buffer) => this.emit('message', chunk, true))
    stream.once('end', () => this.close())
    stream.once('error', (error) => this.#fail(error))
    stream.once('close', () => {
      if (this.readyState !== this.CONNECTING && this.readyState !== this.CLOSED) setImmediate(() => this.#closed())
    })
  }

  #opened(): void {
    if (this.readyState !== this.CONNECTING) return
    this.readyState = this.OPEN
    this.emit('open')
  }

  #closed(): void {
    if (this.readyState === this.CLOSED) return
    this.readyState = this.CLOSED
    this.emit('close')
  }

  /**
   * A connection that fails before it opened looks to PHP like one that opens and is closed at once: PHP-WASM does not
   * tell curl of a refused connection, which would then wait for its own timeout (10 s for WordPress' requests).
   */
  #fail(error: unknown): void {
    this.#stream?.destroy()
    if (this.readyState === this.CONNECTING) {
      this.#opened()
      setImmediate(() => this.#closed())
      return
    }
    if (this.readyState !== this.CLOSED && this.listenerCount('error') > 0) this.emit('error', error)
    this.#closed()
  }

  send(data: Uint8Array | ArrayBuffer | string): void {
    if (this.readyState !== this.OPEN) return
    // PHP-WASM may reuse its memory after this call returns, so the bytes are copied.
    this.#stream?.write(
      typeof data === 'string'
        ? data
        : Buffer.from(data instanceof ArrayBuffer ? new Uint8Array(data) : Uint8Array.from(data)),
    )
  }

  close(): void {
    if (this.readyState >= this.CLOSING) return
    this.readyState = this.CLOSING
    const stream = this.#stream
    if (stream === null) this.#closed()
    else {
      stream.end()
      // Whatever PHP wrote is flushed by end(); the peer gets no chance to keep the connection for longer.
      setTimeout(() => stream.destroy(), 2_000).unref()
      if (stream.readableEnded) stream.destroy()
    }
  }

  /** TCP keep-alive and no-delay requests of PHP; the defaults of this process serve as well. */
  setSocketOpt(): void {
    return undefined
  }

  addEventListener(event: string, listener: () => void): void {
    this.on(event, listener)
  }

  removeEventListener(event: string, listener: () => void): void {
    this.off(event, listener)
  }
}
