import type { Log } from '#server/platform/log/log.ts'
import type { Sandbox } from './sandbox/sandbox.ts'

/** Where the engine tells what it does. */
export type LocalEngineLog = Pick<Log, 'info' | 'warn' | 'error'>

/** Settings of the local engine. */
export interface LocalEngineOptions {
  /** The data folder (`EASYDASH_DATA_DIR`); the engine owns `local/` in it. */
  dataDir: string
  /** Downloads shared between processes (`EASYDASH_CACHE_DIR`). */
  cacheDir: string
  /** Port of the dashboard's HTTP server, where the sites answer. */
  port: number
  /** Sites answer below this name: `slug.localhost`. */
  sitesDomain: string
  /** Public address with `{slug}` where a TLS proxy stands in front; null: `http://{slug}.{sitesDomain}:{port}`. */
  sitesUrlPattern: string | null
  /** Minutes without a request after which a site sleeps. */
  idleMinutes: number
  /** Most sites awake at once; the least recently used sleeps for a new one. */
  awakeMax: number
  log: LocalEngineLog
  /** Replaces wordpress.org, api.wordpress.org and downloads.wordpress.org; null: the real ones. */
  wordpressOrgUrl: string | null
  /** Milliseconds since 1970; tests set it. */
  clock?: () => number
  /** Pictures of sites: `EASYDASH_THUMBNAILS` and `EASYDASH_BROWSER`. Default: none are taken. */
  thumbnails?: { readonly enabled: boolean; readonly browser: string | null }
  /** Keep one copy of WordPress (70 MB) ready for the next new site. Default true. */
  keepSpare?: boolean
  /** A site's process above this is killed. Default 768. */
  memoryCapMb?: number
  /** With less free space on the disk, sites cannot write any more than they hold (bytes). Default 512 MiB. */
  leastFreeBytes?: number
  /** A PHP run longer than this is killed. Default 60,000. */
  requestDeadlineMs?: number
  /** The fence of the system around sites' processes. Default: the best that works here. */
  sandbox?: Sandbox
  /** Further arguments of Node for sites' processes, for tests. */
  nodeArguments?: readonly string[]
}
