import type { Log } from '#server/platform/log/log.ts'
import type { Sandbox } from './sandbox/sandbox.ts'

/** The engine's log. */
export type LocalEngineLog = Pick<Log, 'info' | 'warn' | 'error'>

/** Options of the local engine. */
export interface LocalEngineOptions {
  /** The data folder (`EASYDASH_DATA_DIR`); the engine owns `local/` in it. */
  dataDir: string
  /** Downloads shared between processes (`EASYDASH_CACHE_DIR`). */
  cacheDir: string
  /** Port of the dashboard's HTTP server, which also serves the sites. */
  port: number
  /** Domain of the sites: `slug.localhost`. */
  sitesDomain: string
  /** Public URL with `{slug}` if behind a TLS proxy; null: `http://{slug}.{sitesDomain}:{port}`. */
  sitesUrlPattern: string | null
  /** Seconds that a request of somebody who is signed in to wp-admin may run (`EASYDASH_ADMIN_REQUEST_SECONDS`). Default 300. */
  adminRequestSeconds?: number
  /** The same for visitors; set by tests. Default 60. */
  requestSeconds?: number
  /** Minutes without a request after which a site goes to sleep. */
  idleMinutes: number
  /** Maximum number of awake sites; the least recently used one goes to sleep for a new one. */
  awakeMax: number
  log: LocalEngineLog
  /** Replaces wordpress.org, api.wordpress.org and downloads.wordpress.org; null: no replacement. */
  wordpressOrgUrl: string | null
  /** Milliseconds since 1970; set by tests. */
  clock?: () => number
  /** Screenshots of sites: `EASYDASH_THUMBNAILS` and `EASYDASH_BROWSER`. Default: disabled. */
  thumbnails?: { readonly enabled: boolean; readonly browser: string | null }
  /** Most bytes of kept plugins and themes (`EASYDASH_KEPT_PACKAGES_MB`). Default 2 GiB. */
  keptPackagesBytes?: number
  /** Keep one copy of WordPress (70 MB) ready for the next new site. Default true. */
  keepSpare?: boolean
  /** A site's process above this memory is killed. Default 768. */
  memoryCapMb?: number
  /** Below this free disk space (bytes), sites can't write more than they already use. Default 512 MiB. */
  minFreeBytes?: number
  /** The operating system's sandbox for sites' processes. Default: the best one that works here. */
  sandbox?: Sandbox
  /** Sites on MySQL or MariaDB: `EASYDASH_LOCAL_MYSQL_URL`, or null for a server of our own. Default: none. */
  mysql?: { readonly url: string | null }
  /** Additional Node arguments for sites' processes, for tests. */
  nodeArguments?: readonly string[]
}
