/**
 * The contract every engine implements (local, EasyEngine, WP Cloud, and the fake engine in feature tests). Engines take
 * plain values and return plain results; they don't know documents, sessions or jobs. Every step and call is idempotent:
 * repeating it after a crash checks what exists and continues from there.
 */
import type { SiteStorage } from '#shared/rules/site-quotas.ts'
import type { LocalizedMessage } from '#shared/localized-message.ts'

/** What kind of software a site runs. */
export type SiteKind = 'wp' | 'php' | 'html'

/** Passed to a running step by its caller. */
export interface StepContext {
  /** Unique id of the operation (the Job's name). External resources are tagged with it. */
  operationId: string
  /** Adds a line to the job's log. The caller redacts and truncates. */
  log(line: string): void
  /** Progress of this step, 0 to 1. */
  progress(fraction: number): void
  /** Aborts when the job is canceled or exceeds its deadline. The step must then stop all its work and throw. */
  signal: AbortSignal
}

/** One named, idempotent unit of work of an engine operation. */
export interface EngineStep {
  /** Stable key, e.g. `copy_files`. */
  key: string
  /** Display label, e.g. "Copy WordPress files". */
  label: string
  /** Share of the operation's total time, used for the percentage. Default 1. */
  weight?: number
  /** Timeout of this step in seconds. Default 120. */
  deadlineSeconds?: number
  /** Irreversible: the permissions of the user who started it are checked again before it runs. */
  destructive?: boolean
  run(context: StepContext): Promise<void>
}

/** Names a stored secret; it isn't one, so it can be logged and kept in a job. Engines don't interpret it. */
export interface CredentialsHandle {
  readonly doctype: string
  readonly name: string
  readonly field: string
}

/**
 * Returns the secret a handle names, as it is stored at this moment; null if none is stored. Engines that connect to servers
 * receive it when they are created, call it right before they connect, and keep nothing.
 */
export type ReadCredentials = (handle: CredentialsHandle) => Promise<string | null>

/** Identifies the server of a call to its engine. Plain values without secrets. */
export interface ServerRef {
  /** The Server document's name. */
  readonly id: string
  /** IP address the engine connects to; null if it has none. */
  readonly address: string | null
  /** TCP port of its SSH server. */
  readonly port: number
  /** Credentials for connecting to it; null if none are needed. */
  readonly credentials: CredentialsHandle | null
  /** Version of the engine's own software there, as last measured; null if unknown or if it has none. */
  readonly version: string | null
}

/** The machine this program runs on. Engines that run sites on it need none of these values. */
export const thisMachine: ServerRef = { id: '', address: null, port: 22, credentials: null, version: null }

/** Identifies a site to its engine. */
export interface SiteRef {
  /** The Site document's name: 10 lowercase letters and digits. Folder and process names derive from it. */
  id: string
  /** Local sites: the slug (first label of the host name). Other engines: a full domain. */
  domain: string
  siteType: SiteKind
  phpVersion: string
  server: ServerRef
}

/** Everything needed to create a site. */
export interface SiteSpec extends SiteRef {
  title: string
  adminUser: string
  adminEmail: string
  /** Generated, `[A-Za-z0-9]{24}`; never logged. */
  adminPassword: string
}

/** Roles that a person can have in WordPress, highest first. */
export const wordpressRoles = ['administrator', 'editor'] as const

/** One of `wordpressRoles`. */
export type WordPressRole = (typeof wordpressRoles)[number]

/** What the WordPress user of a person may do. */
export interface WordPressGrant {
  /** Identifies the person on this site alone; the site stores it with the user. 24 hexadecimal digits. */
  key: string
  role: WordPressRole
}

/** A person who is signed in to WordPress as their own user. */
export interface WordPressPerson extends WordPressGrant {
  /** Wanted login name, `[a-z][a-z0-9_-]{0,27}`; a taken one gets a number. Used when the user is created, as are the next two. */
  login: string
  /** Display name. */
  name: string
  email: string
}

/** The actual state of a site as the engine sees it now; nothing is cached or assumed. */
export interface SiteObservation {
  state: 'absent' | 'partial' | 'asleep' | 'running' | 'crashed' | 'archived'
  wordpressVersion: string | null
  phpVersion: string | null
  /** Bytes on disk including the archive, or a lower bound; 0 if not measured. */
  diskUsed: number
  /** Disk usage and quota; null if not measured, and on engines without quotas. */
  storage: SiteStorage | null
  /** Why a crashed site stopped; otherwise null. */
  reason: LocalizedMessage | null
}

/** Properties of the machine behind a server, as measured by the engine. */
export interface HostInfo {
  hostname: string
  os: string
  kernel: string
  processor: string
  /** Number of logical processors. */
  cpu: number
  /** Bytes. */
  ram: number
  /** Size in bytes of the file system that holds the sites. */
  disk: number
  diskFree: number
  totalSwap: number
  timezone: string
  /** Seconds since the machine started. */
  uptimeSeconds: number
}

/** A capability the engine has, or lacks for a reason that the UI shows next to the disabled control. */
export type Capability = { supported: true } | { supported: false; reason: string }

/** Capabilities that differ between engines. */
export const capabilityNames = [
  'create_wp',
  'create_php',
  'create_html',
  'archive',
  'login_link',
  'php_version',
  'cron',
  'logs',
  'sleep',
  'backup',
  'ssh',
  'tls',
  'object_cache',
  'shell',
  'mail_delivery',
  'thumbnail',
  'facts',
] as const

/** One of `capabilityNames`. */
export type CapabilityName = (typeof capabilityNames)[number]

/** All capabilities of a server. */
export type Capabilities = Readonly<Record<CapabilityName, Capability>>

/** Response to the engine's own HTTP request to a site. */
export interface SiteResponse {
  status: number
  headers: Record<string, string>
  body: string
  /** Milliseconds until the whole body was received. */
  tookMs: number
}

/** Options of the engine's own HTTP request to a site. */
export interface SiteRequestOptions {
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
  /** Default true. */
  readonly countsAsUse?: boolean
}

/** A thumbnail of a site's homepage. */
export interface SiteThumbnail {
  /** At most 40 kB. */
  content: Buffer
  type: 'image/webp'
  /** Pixels. */
  width: number
  height: number
}

/**
 * Runs sites. Each engine implements this in its own folder; `tests/contracts/engine.contract.ts` tests every one of them.
 */
export interface Engine {
  readonly name: 'local' | 'ee' | 'wpc' | 'fake'
  /** `machine`: only the process on the same machine can work on its sites. `network`: any process can. */
  readonly reach: 'machine' | 'network'
  /** Capabilities of one server: they can depend on what is installed there. */
  capabilities(server: ServerRef): Capabilities
  /** PHP versions available for new sites, ascending, e.g. `["8.2","8.3","8.4","8.5"]`; null: on any of its servers. */
  phpVersions(server: ServerRef | null): readonly string[]
  /** Properties of the machine. */
  hostInfo(server: ServerRef): Promise<HostInfo>
  /** Public URL of a site without a trailing slash, e.g. `http://blog.localhost:8080`. */
  siteUrl(site: SiteRef): string
  /** Absolute path of the folder with the files it serves, on its machine; null if there is none now. */
  filesFolder(site: SiteRef): string | null
  /** Steps that create the site. After the last one it responds to HTTP requests. */
  createSteps(spec: SiteSpec): EngineStep[]
  /** Steps that stop the site and pack it: no process left, the host responds 410, files in one archive. */
  archiveSteps(site: SiteRef): EngineStep[]
  /** Steps that restore an archived site to its previous state. */
  restoreArchiveSteps(site: SiteRef): EngineStep[]
  /** Removes everything that belongs to the site: processes, folders, archives, routes. Safe to call if it never existed. */
  destroy(site: SiteRef): Promise<void>
  /** `measure: false` skips the disk usage, which takes seconds for a large site. */
  observe(site: SiteRef, options?: { measure?: boolean }): Promise<SiteObservation>
  /**
   * Sends a request to the site as a visitor would (wakes it). The path starts with `/`. With `countsAsUse: false` it doesn't
   * keep the site awake longer.
   */
  request(site: SiteRef, path: string, options?: SiteRequestOptions): Promise<SiteResponse>
  /**
   * A single-use link that signs a person in to wp-admin as their own WordPress user. Its use creates the user if the person
   * has none, and gives it the person's role. A user that the site has for other reasons is never taken over, not even one
   * with the person's email address. Valid for `ttlSeconds` (30), bound to site and person; never logged.
   */
  loginLink(site: SiteRef, person: WordPressPerson, ttlSeconds: number): Promise<string>
  /**
   * Makes the users that login links created agree with `keep`: gives each person listed their role (without creating users),
   * and removes the users of all others with their sessions and unused links. What they wrote goes to the user `reassignTo` (the
   * login name of the site's first administrator). Never removes `reassignTo`, users that no link created, and the last
   * administrator, who is locked out instead. Sends no email. Does nothing on a site without WordPress.
   */
  syncUsers(site: SiteRef, keep: readonly WordPressGrant[], reassignTo: string): Promise<void>
  /**
   * Takes a screenshot of the homepage as an anonymous visitor sees it (wakes the site). One at a time, at the lowest
   * priority. `requestedByUser`: a user is waiting for it, so a recent failure doesn't prevent another attempt. Throws EngineError
   * `unavailable` with what is wrong with the page, or retryable if no screenshot can be taken right now; `unsupported`
   * without the capability.
   */
  thumbnail(site: SiteRef, signal: AbortSignal, requestedByUser?: boolean): Promise<SiteThumbnail>
  /** Last lines of the site's PHP error log, newest last. */
  logs(site: SiteRef, lines: number): Promise<string[]>
  /** Runs the site's due scheduled events; returns how many ran. */
  runCron(site: SiteRef): Promise<number>
  /** Changes the PHP version and restarts the site. */
  setPhpVersion(site: SiteRef, version: string): Promise<void>
  /** Stops everything the engine runs and waits until no process is left. */
  stop(): Promise<void>
}

/** Thrown by engines: an error code from `shared/errors.ts`, a user-facing message, and whether a retry can help. */
export class EngineError extends Error {
  readonly code: 'invalid' | 'conflict' | 'unavailable' | 'unsupported' | 'not_found'
  readonly retryable: boolean
  /** The localizable message; `message` is its English text. */
  readonly localized: LocalizedMessage
  /** What the user can do next, one sentence. */
  readonly nextAction: LocalizedMessage
  constructor(
    code: EngineError['code'],
    localized: LocalizedMessage,
    options: { retryable?: boolean; nextAction: LocalizedMessage; cause?: unknown },
  ) {
    super(localized.text, { cause: options.cause })
    this.name = 'EngineError'
    this.code = code
    this.localized = localized
    this.retryable = options.retryable ?? false
    this.nextAction = options.nextAction
  }
}
