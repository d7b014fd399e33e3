/**
 * The contract every engine implements (local, EasyEngine, WP Cloud, and the fake engine in feature tests). Engines take
 * plain values and return plain results; they don't know documents, sessions or jobs. Every step and call is idempotent:
 * repeating it after a crash checks what exists and continues from there.
 */
import type { EngineName } from '#shared/rules/engines.ts'
import type { SiteDatabaseKind } from '#shared/rules/site-databases.ts'
import type { SiteStorage } from '#shared/rules/site-quotas.ts'
import type { LocalizedMessage } from '#shared/localized-message.ts'
import type { SiteLogs } from './site-logs.ts'
import type { SiteCertificates } from './site-certificates.ts'
import type { SiteCommands, SiteConsole } from './site-console.ts'
import type { SiteDatabase } from './site-database.ts'
import type { SiteDatabaseMoves } from './site-database-moves.ts'
import type { SiteDomains } from './site-domains.ts'
import type { SiteFiles } from './site-files.ts'
import type { HostInfo, SiteEvents, SiteHost, SiteQuotas } from './site-host.ts'
import type { MultisiteKind } from '#shared/rules/multisite.ts'
import type { SiteNetworks } from './site-network.ts'
import type { CredentialsHandle, ServerRef, SiteRef } from './site-ref.ts'
import type { CapabilityName } from './capability-names.ts'
import type { EngineStep } from './engine-step.ts'
import type { SiteCopies } from './site-copies.ts'
import type { SiteStaging } from './site-staging.ts'
import type { SiteBackups, SiteRehearsals, SiteRestores } from './site-backups.ts'
import type { SiteExports } from './site-exports.ts'
import type { SiteImports } from './site-imports.ts'
import type { SiteRequestOptions, SiteResponse } from './site-request.ts'
import type { SiteRestart } from './site-restart.ts'
import type { SiteServices } from './site-services.ts'
import type { SiteSettings } from './site-settings.ts'
import type { WordPressManagement } from './wordpress.ts'
import type { WordPressFiles } from './wordpress-files.ts'
import type { WordPressCore } from './wordpress-core.ts'
import type { WordPressHealth } from './wordpress-health.ts'
import type { WordPressLanguages } from './wordpress-languages.ts'
import type { WordPressPackages } from './wordpress-packages.ts'
import type { SyncedUsers, WordPressPerson, WordPressUserLists } from './wordpress-person.ts'

export { capabilityNames, type CapabilityName } from './capability-names.ts'
export type { EngineStep, StepContext } from './engine-step.ts'
export type { SiteRequestOptions, SiteResponse } from './site-request.ts'
export type {
  SyncedUsers,
  WordPressGrant,
  WordPressPerson,
  WordPressRole,
  WordPressUserLists,
} from './wordpress-person.ts'

/**
 * Returns the secret a handle names, as it is stored at this moment; null if none is stored. Engines that connect to servers
 * receive it when they are created, call it right before they connect, and keep nothing.
 */
export type ReadCredentials = (handle: CredentialsHandle) => Promise<string | null>

/** Everything needed to create a site. */
export interface SiteSpec extends SiteRef {
  title: string
  adminUser: string
  adminEmail: string
  /** Generated, `[A-Za-z0-9]{24}`; never logged. */
  adminPassword: string
  /** A WordPress site becomes a network of this kind; default: a single site. Needs the capability of the kind. */
  multisite?: MultisiteKind
  /** Database of a WordPress site; default SQLite, where the engine has a choice. */
  database?: SiteDatabaseKind
  /** With a page and object cache; needs the capability `object_cache`. */
  objectCache?: boolean
  /** With the folders of WordPress VIP; needs the capability `vip`. */
  vip?: boolean
  /** Language of a WordPress, as `isLocale` has it, and its version, or `latest`; need the capability `wordpress_choice`. */
  locale?: string
  wordpressVersion?: string
  /** A PHP site gets a database of its own; needs the capability `php_database`. */
  withDatabase?: boolean
}

/** The actual state of a site as the engine sees it now; nothing is cached or assumed. */
export interface SiteObservation {
  state: 'absent' | 'partial' | 'asleep' | 'running' | 'crashed' | 'archived'
  wordpressVersion: string | null
  phpVersion: string | null
  /** Whether a PHP site has a database; not said by an engine that gives it none. */
  hasDatabase?: boolean
  /** Bytes on disk including the archive, or a lower bound; 0 if not measured. */
  diskUsed: number
  /** Disk usage and quota; null if not measured, and on engines without quotas. */
  storage: SiteStorage | null
  /** Why a crashed site stopped; otherwise null. */
  reason: LocalizedMessage | null
}

/** What a server can do, or can't for a reason that the UI shows next to the disabled control. */
export type Capability = { supported: true } | { supported: false; reason: string }

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
 * Runs sites. Each engine implements this in its own folder; `tests/contracts/engine.contract.ts` tests every one of them. What
 * not every engine can do is in its facets: callers get them by asking for a capability (`facets.ts`).
 */
export interface Engine extends Partial<EngineFacets> {
  readonly name: EngineName
  /** `machine`: only the process on the same machine can work on its sites. `network`: any process can. */
  readonly reach: 'machine' | 'network'
  /** What sites are named by: the first label of a host name below the sites' domain, or a full domain. */
  readonly siteNames: 'label' | 'domain'
  /**
   * Capabilities that a server lacks although the engine has their facets, with the reason: what can be done may depend on what
   * is installed there. Needs no network.
   */
  lacks(server: ServerRef): Partial<Record<CapabilityName, string | null>>
  /** PHP versions available for new sites, ascending, e.g. `["8.2","8.3","8.4","8.5"]`; null: on any of its servers. Needs no network. */
  phpVersions(server: ServerRef | null): readonly string[]
  /** Public URL of a site without a trailing slash, e.g. `http://blog.localhost:8080`. Needs no network. */
  siteUrl(site: SiteRef): string
  /**
   * Steps that create the site. After the last one it responds to HTTP requests. Throws EngineError `unsupported` for a kind of
   * site, network or database that the server lacks.
   */
  createSteps(spec: SiteSpec): EngineStep[]
  /** Removes everything that belongs to the site: processes, folders, archives, routes. Safe to call if it never existed. */
  destroy(site: SiteRef): Promise<void>
  /** `measure: false` skips the disk usage, which takes seconds for a large site. */
  observe(site: SiteRef, options?: { measure?: boolean }): Promise<SiteObservation>
  /**
   * Sends a request to the site as a visitor would (wakes it). The path starts with `/`. With `countsAsUse: false` it doesn't
   * keep the site awake longer.
   */
  request(site: SiteRef, path: string, options?: SiteRequestOptions): Promise<SiteResponse>
  /** Stops everything the engine runs and waits until no process is left. */
  stop(): Promise<void>
}

/**
 * What an engine can have besides. Which capability needs which facet is in `facets.ts`. A method whose support depends on the
 * values it is called with throws EngineError `unsupported` for those that the server lacks.
 */
export interface EngineFacets {
  /** The sites that a machine holds. */
  readonly host: SiteHost
  /** What happens to sites of this machine. */
  readonly events: SiteEvents
  /** Limits of the disk usage of sites of this machine. */
  readonly quotas: SiteQuotas
  /** Properties of the machine. */
  hostInfo(server: ServerRef): Promise<HostInfo>
  /** Steps that stop the site and pack it: no process left, the host responds 410, files in one archive. */
  archiveSteps(site: SiteRef): EngineStep[]
  /** Steps that restore an archived site to its previous state. */
  restoreArchiveSteps(site: SiteRef): EngineStep[]
  /**
   * A single-use link that signs a person in to wp-admin as their own WordPress user. Its use creates the user if the person
   * has none, and gives it the person's role. A user that the site has for other reasons is never taken over, not even one
   * with the person's email address. Valid for `ttlSeconds` (30), bound to site and person; never logged. In a network, administrators
   * administer all of it, and `to` leads to its own admin area.
   */
  loginLink(site: SiteRef, person: WordPressPerson, ttlSeconds: number, to?: 'network'): Promise<string>
  /**
   * Makes the users that login links created agree with lists: gives each person in `keep` their role (without creating users), takes
   * it from those in `pause`, and removes the users of all others, whatever their login name, with their sessions and unused links. What
   * they wrote goes to the user `reassignTo` (the login name of the site's first administrator) or another administrator. Never removes
   * users that no link created, and the last administrator, who is locked out instead. Sends no email. Does nothing on a site
   * without WordPress, whose keys all count as gone.
   */
  syncUsers(site: SiteRef, lists: WordPressUserLists): Promise<SyncedUsers>
  /**
   * Takes a screenshot of the homepage as an anonymous visitor sees it (wakes the site). One at a time, at the lowest
   * priority. `requestedByUser`: a user is waiting for it, so a recent failure doesn't prevent another attempt. Throws EngineError
   * `unavailable` with what is wrong with the page, or retryable if no screenshot can be taken right now.
   */
  thumbnail(site: SiteRef, signal: AbortSignal, requestedByUser?: boolean): Promise<SiteThumbnail>
  /** Absolute path of the folder with the files it serves, on its machine; null if there is none now. */
  filesFolder(site: SiteRef): Promise<string | null>
  /** The files of its sites. */
  readonly files: SiteFiles
  /** Plugins, themes, users, scheduled events and files of WordPress. */
  readonly wordpress: WordPressManagement
  /** The version of WordPress itself. */
  readonly core: WordPressCore
  /** Whether files are the original ones. */
  readonly originals: WordPressFiles
  /** Log files and captured mail. */
  readonly logs: SiteLogs
  /** What is wrong with a WordPress. */
  readonly health: WordPressHealth
  /** Installing and updating plugins and themes. */
  readonly packages: WordPressPackages
  /** Translations of WordPress. */
  readonly languages: WordPressLanguages
  /** Runs the site's due scheduled events; returns how many ran. */
  runCron(site: SiteRef): Promise<number>
  /** Changes the PHP version and restarts the site. */
  setPhpVersion(site: SiteRef, version: string): Promise<void>
  /**
   * Restarts what serves the site. An operation that was done is not done again. Throws EngineError `conflict` while the site does not run, `unsupported` for
   * containers where there are none.
   */
  restart(site: SiteRef, how: SiteRestart): Promise<void>
  /** Copies of whole sites. */
  readonly copies: SiteCopies
  /** Pushes from staging sites. */
  readonly staging: SiteStaging
  /** Backups of whole sites. */
  readonly backups: SiteBackups
  /** What backups are worth, of whichever engine they are. */
  readonly rehearsals: SiteRehearsals
  /** Backups that are put in place of their site. */
  readonly restores: SiteRestores
  /** Archives of whole sites. */
  readonly exports: SiteExports
  /** Sites made of archives. */
  readonly imports: SiteImports
  /** Primary domain and aliases. */
  readonly domains: SiteDomains
  /** Networks of sites (multisite). */
  readonly networks: SiteNetworks
  /** PHP code of admins. */
  readonly console: SiteConsole
  readonly commands: SiteCommands
  /** Moves to another kind of database. */
  readonly databaseMoves: SiteDatabaseMoves
  /** Tables and rows of the database, and SQL. */
  readonly database: SiteDatabase
  /** How sites are served over TLS. */
  readonly certificates: SiteCertificates
  /** What a server can put around a site. */
  readonly services: SiteServices
  /** Settings of sites, and suspending them. */
  readonly settings: SiteSettings
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
