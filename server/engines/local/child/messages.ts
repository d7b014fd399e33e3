import type { SiteType } from '../../engine.ts'

/** What a site's process needs to start. Sent once, right after the fork. */
export interface BootMessage {
  type: 'boot'
  siteType: SiteType
  phpVersion: string
  /** Public address of the site, no trailing slash; becomes WP_HOME and WP_SITEURL. */
  url: string
  /** Folder of the site: `www/`, `logs/` and `outbox/` in it are all that PHP will see. */
  folder: string
  /** Unix socket the process answers HTTP on; its folder is closed to everybody else. */
  socket: string
  /** User and group the process becomes before any code of the site runs; null: stays who it is. */
  uid: number | null
  /** Whether WordPress' own requests to the internet are refused at once. */
  offline: boolean
}

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
  /** PHP runs, OPcache is active, the socket listens. */
  | { type: 'ready'; journalMode: string | null }
  | { type: 'failed'; reason: string }
  /** A PHP run began or ended: the engine times it, since PHP can block this process for ever. */
  | { type: 'run-start'; run: number }
  | { type: 'run-end'; run: number }
  | { type: 'result'; id: number; ok: true; result: ScriptResult }
  | { type: 'result'; id: number; ok: false; reason: string }
