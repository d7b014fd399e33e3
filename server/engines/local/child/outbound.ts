import { EventEmitter } from 'node:events'
import { connect as connectHttp2, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2'
import { isIPv6 } from 'node:net'
import { duplexPair, type Duplex } from 'node:stream'

/** The only network PHP has. */
export interface OutboundPolicy {
  /** Asks the engine for a connection to a host; its policy decides. The answer `response` says that it is there. */
  connect(host: string, port: number): ClientHttp2Stream
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

/**
 * Opens the way to the engine's gateway (`outbound/gateway.ts`): this process has no network of its own, and makes no
 * connection itself.
 */
export function openGateway(stream: Duplex): OutboundPolicy['connect'] {
  const session: ClientHttp2Session = connectHttp2('http://outbound', { createConnection: () => stream })
  // Without the gateway each connection fails by itself.
  session.on('error', () => undefined)
  return (host, port) => {
    const name = isIPv6(host) ? `[${host}]` : host
    return session.request({ ':method': 'CONNECT', ':authority': `${name}:${port}` }, { endStream: false })
  }
}

/** PHP-WASM's `websocket` option: every socket of PHP becomes a stream to the engine's gateway. */
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

/** A connection with the face of a `ws` client, as PHP-WASM's socket layer uses it. */
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
    // What PHP passes on as a host may be no name at all; the request itself then throws.
    try {
      this.#open(host, port, policy)
    } catch (error) {
      queueMicrotask(() => this.#fail(error))
    }
  }

  #open(host: string, port: number, policy: OutboundPolicy): void {
    if (host.toLowerCase() === policy.ownHost && port === policy.ownPort) {
      const [ours, theirs] = duplexPair()
      policy.acceptOwn(theirs)
      this.#attach(ours)
      queueMicrotask(() => this.#opened())
      return
    }
    const stream = policy.connect(host, port)
    this.#attach(stream)
    stream.once('response', () => this.#opened())
  }

  #attach(stream: Duplex): void {
    this.#stream = stream
    stream.on('data', (chunk: Buffer) => this.emit('message', chunk, true))
    stream.once('end', () => this.close())
    stream.once('error', (error) => this.#fail(error))
    stream.once('close', () => {
      if (this.readyState === this.CONNECTING) this.#fail(new Error('The connection was refused.'))
      else if (this.readyState !== this.CLOSED) setImmediate(() => this.#closed())
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
