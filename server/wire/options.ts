import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Pool } from 'pg'
import type { FileStore } from '#server/contracts/files.ts'
import type { Documents } from '#server/contracts/documents.ts'
import type { Method } from '#server/contracts/method.ts'
import type { RawRoute } from '#server/contracts/raw-route.ts'
import type { Session, SessionStore } from '#server/contracts/session.ts'
import type { Config } from '#server/platform/config/config.ts'
import type { Log } from '#server/platform/log/log.ts'
import type { RateLimiter } from '#server/platform/rate-limit.ts'
import type { Registry } from './methods/method-registry.ts'
import type { ShellSource } from './pages/shell.ts'
import type { SessionCookies } from './response/session-cookies.ts'

/** Settings the wire reads. */
export type WireConfig = Pick<
  Config,
  'port' | 'host' | 'socketioPort' | 'url' | 'trustedProxies' | 'productName' | 'metricsToken' | 'rateLimits'
> & { readonly stripe: { readonly publishableKey: string | null } }

/** The sites that answer below the same port on hosts of their own. */
export interface HostedSites {
  /** Whether a `Host` header belongs to the sites. */
  ownsHost(host: string): boolean
  handleRequest(request: IncomingMessage, response: ServerResponse): void
}

/** What the wire needs of the rest of the program. */
export interface WireOptions {
  readonly config: WireConfig
  /** Version of the product, for the reference documentation. */
  readonly version: string
  readonly documents: Documents
  readonly sessions: SessionStore
  /** Methods of the features; the wire adds its own. */
  readonly methods: readonly Method[]
  /** Addresses of the features outside of the protocol. */
  readonly rawRoutes: readonly RawRoute[]
  readonly sites: HostedSites | null
  /** Uploaded files; null leaves their calls and addresses out. */
  readonly files: FileStore | null
  readonly log: Pick<Log, 'debug' | 'info' | 'warn' | 'error'>
  readonly health: {
    /** Whether the program can work, with one word per part (`ok` or what is wrong). */
    ready(): Promise<{ ok: boolean; checks: Record<string, string> }>
    /** Figures in Prometheus' text format. */
    metrics(): string | Promise<string>
  }
  readonly pages: {
    /** Built web app (`index.html`, `assets/`). */
    readonly dir: string
    /** Facts put into the page as `window.easydash`, the reader's own among them. */
    boot(session: Session): Promise<Record<string, unknown>>
    /** Folder of the repository: pages come from Vite with hot reload instead of `dir`. */
    readonly devRoot?: string | null
  }
  readonly rateLimiter: Pick<RateLimiter, 'hit' | 'hitOwn'>
  /** With a database shared by several processes: carries presence between them. */
  readonly clusterPool?: Pool | null
}

/** What route handlers and hooks work with. */
export interface WireServices extends WireOptions {
  readonly registry: Registry
  readonly cookies: SessionCookies
  readonly shell: ShellSource
}

/** The program's HTTP and socket server. */
export interface Wire {
  /** Opens the port. Throws `StartupError` when it is taken. */
  listen(): Promise<{ url: string; port: number; socketioPort: number | null }>
  /** Stops accepting, lets running requests finish (5 s), closes sockets. */
  close(): Promise<void>
  /** Sends a socket event to every connection of a user. */
  emitToUser(user: string, event: string, payload: unknown): void
  readonly fastify: FastifyInstance
  /** Every method that can be called, the wire's own included. */
  readonly methods: readonly Method[]
}
