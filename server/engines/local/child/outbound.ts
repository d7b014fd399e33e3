import { EventEmitter } from 'node:events'
import { connect as connectHttp2, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2'
import { isIPv6 } from 'node:net'
import { duplexPair, type Duplex } from 'node:stream'

/** PHP's only network access. */
export interface OutboundPolicy {
  /** Requests a connection to a host from the engine, whose policy decides. The event `response` means that it is open. */
  connect(host: string, port: number): ClientHttp2Stream
  /** Whether a host (in lower case) and port are the site's own: such connections stay within this process. */
  isOwn(host: string, port: number): boolean
  /** Accepts the server side of a connection the site opens to itself. */
  acceptOwn(connection: Duplex): void
}

/** The class PHP-WASM expects from the `ws` package. */
export type SocketConstructor = new (url: string) => EventEmitter

/** Thrown inside PHP-WASM's socket calls, which turn this name and number into errno EOPNOTSUPP for PHP. */
class ErrnoError extends Error {
  readonly errno = 138
  constructor() {
    super('Operation not supported')
    this.name = 'ErrnoError'
  }
}

/** PHP may not listen: only the engine's proxy connects to a site. */
class DeniedServer {
  constructor() {
    throw new ErrnoError()
  }
}

/**
 * Opens the connection to the engine's gateway (`outbound/gateway.ts`): this process has no network access and opens no
 * connections itself.
 */
export function openGateway(stream: Duplex): OutboundPolicy['connect'] {
  const session: ClientHttp2Session = connectHttp2('http://outbound', { createConnection: () => stream })
  // Without the gateway each connection fails individually.
  session.on('error', () => undefined)
  return (host, port) => {
    const name = isIPv6(host) ? `[${host}]` : host
    return session.request({ ':method': 'CONNECT', ':authority': `${name}:${port}` }, { endStream: false })
  }
}

/** PHP-WASM's `websocket` option: turns every PHP socket into a stream to the engine's gateway. */
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
    serverDecorator: (): typeof DeniedServer => DeniedServer,
  }
}

/** A connection with the interface of a `ws` client, as used by PHP-WASM's socket layer. */
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
    // PHP may pass an invalid host name; the request itself then throws.
    try {
      this.#open(host, port, policy)
    } catch (error) {
      queueMicrotask(() => this.#fail(error))
    }
  }

  #open(host: string, port: number, policy: OutboundPolicy): void {
    if (policy.isOwn(host.toLowerCase(), port)) {
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
   * A connection that fails before it opens appears to PHP as one that opens and is closed immediately: PHP-WASM doesn't
   * report a refused connection to curl, which would then wait for its own timeout (10 s for WordPress' requests).
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
    // The bytes are copied because PHP-WASM may reuse its memory after this call returns.
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
      // end() flushes what PHP wrote; the peer can't keep the connection open any longer.
      setTimeout(() => stream.destroy(), 2_000).unref()
      if (stream.readableEnded) stream.destroy()
    }
  }

  /** Ignores PHP's TCP keep-alive and no-delay options; the defaults of this process are sufficient. */
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
