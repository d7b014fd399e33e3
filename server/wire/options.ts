import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Pool } from 'pg'
import type { FileStore } from '#server/contracts/files.ts'
import type { Documents } from '#server/contracts/documents.ts'
import type { Method } from '#server/contracts/method.ts'
import type { RawRoute } from '#server/contracts/raw-route.ts'
import type { UploadStore } from '#server/contracts/resumable-upload.ts'
import type { Session, SessionStore } from '#server/contracts/session.ts'
import type { StreamKind } from '#server/contracts/socket-stream.ts'
import type { Config } from '#server/platform/config/config.ts'
import type { Log } from '#server/platform/log/log.ts'
import type { RateLimiter } from '#server/platform/rate-limit.ts'
import type { Registry } from './methods/method-registry.ts'
import type { ShellSource } from './pages/shell.ts'
import type { ReplacedSids } from './request/replaced-sids.ts'
import type { SessionCookies } from './response/session-cookies.ts'
import type { WebLinks } from './processes/web-links.ts'

/** Origins of somebody else that a page needs. */
export interface ForeignOrigins {
  readonly scripts: readonly string[]
  readonly frames: readonly string[]
  readonly requests: readonly string[]
}

/** Settings used by the wire layer. */
export type WireConfig = Pick<
  Config,
  'port' | 'host' | 'socketioPort' | 'url' | 'trustedProxies' | 'productName' | 'metricsToken' | 'rateLimits'
>

/** Hosted sites, which respond on the same port under their own host names. */
export interface HostedSites {
  /** Whether a `Host` header belongs to a hosted site. */
  ownsHost(host: string): boolean
  handleRequest(request: IncomingMessage, response: ServerResponse): void
}

/** Dependencies of the wire layer. */
export interface WireOptions {
  readonly config: WireConfig
  /** Whether to go on without the second port (`SOCKETIO_PORT`) if it can't be opened. */
  readonly secondPortIsOptional?: boolean
  /** Product version, for the API reference. */
  readonly version: string
  readonly documents: Documents
  readonly sessions: SessionStore
  /** Methods of the features; the wire layer adds its own. */
  readonly methods: readonly Method[]
  /** Routes of the features outside of the protocol. */
  readonly rawRoutes: readonly RawRoute[]
  /** Streams that features offer to pages. */
  readonly streams: readonly StreamKind[]
  readonly sites: HostedSites | null
  /** Uploaded files; null disables their methods and routes. */
  readonly files: FileStore | null
  /** Large files sent in parts; null disables their routes. */
  readonly uploads: UploadStore | null
  readonly log: Pick<Log, 'debug' | 'info' | 'warn' | 'error'>
  readonly health: {
    /** Whether the program can work, with the state of each part (`ok` or what is wrong). */
    ready(): Promise<{ ok: boolean; checks: Record<string, string> }>
    /** Metrics in Prometheus text format. */
    metrics(): string | Promise<string>
  }
  readonly pages: {
    /** Folder of the built web app (`index.html`, `assets/`). */
    readonly dir: string
    /** Bootstrap data for the page (`window.easydash`), including the user's own. */
    boot(session: Session): Promise<Record<string, unknown>>
    /** Repository folder: pages are served by Vite with hot reload instead of from `dir`. */
    readonly devRoot?: string | null
    /** Origins of the payment provider, for pages about billing. */
    readonly paymentOrigins?: ForeignOrigins | null
  }
  readonly rateLimiter: Pick<RateLimiter, 'hit' | 'hitOwn'>
  /** Set if several processes share a database: connects their sockets, e.g. for document viewers. */
  readonly clusterPool?: Pool | null
  /** Set if several web processes share the port. */
  readonly web?: WebOptions | null
}

/** How a web process shares its port with others. */
export interface WebOptions {
  readonly links: WebLinks
  /** In the main process: gives a new connection to the process whose turn it is; `serve` serves it in this one. */
  handOver?(socket: Socket, serve: (socket: Socket) => void): void
  /** In the main process: makes all others know a sid that was replaced. */
  replaced?(sid: string): Promise<void>
}

/** Services for route handlers and hooks. */
export interface WireServices extends WireOptions {
  readonly registry: Registry
  readonly cookies: SessionCookies
  readonly replacedSids: ReplacedSids
  readonly shell: ShellSource
}

/** The program's HTTP and socket server. */
export interface Wire {
  /** Opens the port, in the main process, and the unix socket for other web processes. Throws `StartupError` if the port is in use. */
  listen(): Promise<{ url: string; port: number; socketioPort: number | null }>
  /** Stops accepting connections, waits up to 5 s for running requests, and closes sockets. */
  close(): Promise<void>
  /** Serves a connection that the main process accepted. */
  take(socket: Socket): void
  /** Another process replaced a sid. */
  sidReplaced(sid: string): void
  /** Sends a socket event to every connection of a user. */
  emitToUser(user: string, event: string, payload: unknown): void
  readonly fastify: FastifyInstance
  /** All callable methods, including the wire layer's own. */
  readonly methods: readonly Method[]
}
