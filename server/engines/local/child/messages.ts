import type { QuotaStart } from '../quota/quota.ts'
import type { SiteProtection } from '#shared/rules/site-protections.ts'
import type { SiteKind } from '../../site-ref.ts'

/** Seconds that a run of PHP may take. */
export interface RunLimits {
  readonly usual: number
  /** For people who are signed in to wp-admin. */
  readonly admin: number
}

/** Header of a request from the engine, with a number that names it in messages. */
export const requestHeader = 'x-easydash-request'

/** What a site's process needs to start. Sent once, in response to `hello`. */
export interface BootMessage {
  type: 'boot'
  siteType: SiteKind
  phpVersion: string
  /** Public URL of the site without a trailing slash; becomes WP_HOME and WP_SITEURL, unless a request has the host of an alias. */
  url: string
  /** Hosts without port under which visitors see the site besides that of `url`. */
  served: readonly string[]
  /** User and group the process switches to before any code of the site runs; null: no switch. */
  uid: number | null
  /** Whether WordPress' own requests to the internet are rejected immediately. */
  offline: boolean
  limits: RunLimits
  /** PHP's memory limit. */
  memoryMb: number
  /** The largest upload. */
  uploadMb: number
  /** WordPress records its errors, and uses its readable scripts. */
  debug: boolean
  /** It is a sub-directory network of WordPress. */
  isNetwork: boolean
  /** What its owners want to be protected from. */
  protections: readonly SiteProtection[]
  /** Limits on what the site may write. */
  quota: QuotaStart
}

/** Open files a site's process starts with; it opens no connections or listeners itself. */
export const descriptors = {
  /** Messages defined in this file, one per line. */
  control: 3,
  /** A listening unix socket: the engine's proxy forwards visitors' requests here. */
  server: 4,
  /** The engine's gateway to the network (`outbound/gateway.ts`). */
  outbound: 5,
} as const

/** Names of the management scripts in `php/`. */
export type ScriptName =
  | 'install'
  | 'address'
  | 'info'
  | 'cron'
  | 'login'
  | 'users'
  | 'options'
  | 'options-undo'
  | 'inspect'
  | 'plugins'
  | 'people'
  | 'change'
  | 'checksum'
  | 'health'
  | 'relocate'
  | 'database'
  | 'moved'
  | 'settle'
  | 'merge'
  | 'snapshot'
  | 'package'
  | 'languages'
  | 'browse'
  | 'sql'
  | 'console'
  | 'dump'
  | 'import'
  | 'content'
  | 'media'
  | 'adopt'
  | 'parity'
  | 'links'
  | 'core'
  | 'upgrade'
  | 'network'
  | 'deleted'
  | 'move'
  | 'tables'

/** The engine wrote files of the site: PHP must not go on with what it remembers of them. */
export interface FilesChanged {
  type: 'files'
  /** Relative to the folder of the site. */
  paths: readonly string[]
  /** What was added to the disk, for the quota. */
  bytes: number
  entries: number
}

/** Announces the request that signs a person in: the one for `signInPath` with this ticket. */
export interface SignIn {
  type: 'sign-in'
  /** For one use; only the engine knows it. */
  ticket: string
  /** Of `php/login.php`. */
  input: Record<string, unknown>
}

/** Path of that request, within the site's process. Hidden paths never belong to a site. */
export const signInPath = '/.easydash/sign-in'

/** From the engine to a site's process. */
export type ToChild =
  | BootMessage
  | { type: 'call'; id: number; script: ScriptName; input: Record<string, unknown> }
  /** Nobody waits for this call any more: it is not to begin. */
  | { type: 'cancel'; id: number }
  /** A request took too long: the process ends as soon as those that have begun besides it are done. */
  | { type: 'drain' }
  | { type: 'offline'; offline: boolean }
  | { type: 'served'; served: readonly string[] }
  | SignIn
  | FilesChanged

/** The result of a management script, and the cookies it set. */
export interface ScriptResult {
  value: unknown
  /** Lowercase name → values; `set-cookie` only. */
  headers: Record<string, string[]>
}

/** From a site's process to the engine. */
export type FromChild =
  /** The process runs and waits for `boot`. */
  | { type: 'hello' }
  /** PHP runs, OPcache is active, the socket is listening. */
  | { type: 'ready'; journalMode: string | null }
  | { type: 'failed'; reason: string }
  /** A PHP run started or ended: the engine measures its duration, because PHP can block this process indefinitely. */
  | { type: 'run-start'; run: number; request: number | null }
  /** Somebody who is signed in to wp-admin waits for it. */
  | { type: 'run-admin'; run: number }
  | { type: 'run-end'; run: number }
  /** PHP begins with the script of a call. */
  | { type: 'begun'; id: number }
  | { type: 'result'; id: number; ok: true; result: ScriptResult }
  | { type: 'result'; id: number; ok: false; reason: string }

/** Maximum length of a management script's result, in characters of JSON. */
export const maxResultLength = 96 * 1024
/** Maximum size of a message from a site's process in bytes: enough for such a result and the cookies of a login. */
export const maxMessageBytes = 512 * 1024
/** Maximum size of a message to a site's process in bytes: the checksums of all files of WordPress. */
export const maxCallBytes = 1024 * 1024
/** Maximum length of a failure reason. */
const maxReasonLength = 2_000
/** SQLite's names of journal modes are shorter. */
const maxJournalModeLength = 20

/** Validates a message from a site's process, which untrusted code may have written; null if it is invalid. */
export function parseFromChild(value: unknown): FromChild | null {
  if (!isRecord(value)) return null
  const { type } = value
  if (type === 'hello') return { type }
  if (type === 'ready') {
    const { journalMode } = value
    if (journalMode === null) return { type, journalMode }
    return typeof journalMode === 'string' && journalMode.length <= maxJournalModeLength ? { type, journalMode } : null
  }
  if (type === 'failed') {
    const { reason } = value
    return typeof reason === 'string' ? { type, reason: reason.slice(0, maxReasonLength) } : null
  }
  if (type === 'run-end' || type === 'run-admin') return isNumber(value['run']) ? { type, run: value['run'] } : null
  if (type === 'run-start') {
    const { run, request } = value
    return isNumber(run) && (request === null || isNumber(request)) ? { type, run, request } : null
  }
  if (type === 'begun') return isNumber(value['id']) ? { type, id: value['id'] } : null
  if (type !== 'result' || !isNumber(value['id'])) return null
  const { id, ok, reason, result } = value
  if (ok === false)
    return typeof reason === 'string' ? { type, id, ok, reason: reason.slice(0, maxReasonLength) } : null
  if (ok !== true || !isRecord(result) || !isRecord(result['headers'])) return null
  const cookies = result['headers']['set-cookie'] ?? []
  if (!Array.isArray(cookies)) return null
  const texts = cookies.filter((cookie) => typeof cookie === 'string')
  return { type, id, ok, result: { value: result['value'], headers: { 'set-cookie': texts } } }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isSafeInteger(value)
