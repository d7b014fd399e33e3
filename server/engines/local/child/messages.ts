import type { QuotaStart } from '../quota/quota.ts'
import type { SiteDoctype } from '../../engine.ts'

/** What a site's process needs to start. Sent once, as the answer to `hello`. */
export interface BootMessage {
  type: 'boot'
  siteType: SiteDoctype
  phpVersion: string
  /** Public address of the site, no trailing slash; becomes WP_HOME and WP_SITEURL. */
  url: string
  /** User and group the process becomes before any code of the site runs; null: stays who it is. */
  uid: number | null
  /** Whether WordPress' own requests to the internet are refused at once. */
  offline: boolean
  /** What the site may write. */
  quota: QuotaStart
}

/** Open files a site's process is started with; it opens no connection and no listener of its own. */
export const descriptors = {
  /** Messages of this file, one a line. */
  control: 3,
  /** A listening unix socket: the engine's proxy sends visitors' requests here. */
  server: 4,
  /** The engine's gateway to the network (`outbound/gateway.ts`). */
  outbound: 5,
} as const

/** Names of the management scripts in `php/`. */
export type ScriptName = 'install' | 'info' | 'cron' | 'login'

/** From the engine to a site's process. */
export type ToChild =
  | BootMessage
  | { type: 'call'; id: number; script: ScriptName; input: Record<string, unknown> }
  | { type: 'offline'; offline: boolean }

/** What a management script answered, and the cookies it set. */
export interface ScriptResult {
  value: unknown
  /** Name in lower case → values; `set-cookie` alone. */
  headers: Record<string, string[]>
}

/** From a site's process to the engine. */
export type FromChild =
  /** The process runs and waits for its `boot`. */
  | { type: 'hello' }
  /** PHP runs, OPcache is active, the socket listens. */
  | { type: 'ready'; journalMode: string | null }
  | { type: 'failed'; reason: string }
  /** A PHP run began or ended: the engine times it, since PHP can block this process for ever. */
  | { type: 'run-start'; run: number }
  | { type: 'run-end'; run: number }
  | { type: 'result'; id: number; ok: true; result: ScriptResult }
  | { type: 'result'; id: number; ok: false; reason: string }

/** Longest result of a management script in characters, as JSON. */
export const maxResultLength = 64 * 1024
/** Longest message of a site's process in bytes: room for such a result and for the cookies of a login. */
export const maxMessageBytes = 512 * 1024
/** Most that is kept of why something failed. */
const maxReasonLength = 2_000
/** SQLite's names of journal modes are shorter. */
const maxJournalModeLength = 20

/** Checks a message of a site's process, which whatever runs in there may have written; null when it is none. */
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
  if (type === 'run-start' || type === 'run-end') return isNumber(value['run']) ? { type, run: value['run'] } : null
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
