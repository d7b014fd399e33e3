import type { IncomingMessage, ServerResponse } from 'node:http'
import type { SiteQuota, SiteStorage } from '#shared/rules/site-quotas.ts'
import type { Engine } from '../engine.ts'
import type { SiteEvent } from './processes/awake-options.ts'
import type { PrepareContext } from './core/cached-core.ts'
import type { CoreVersions } from './core/core-supply.ts'
import type { ThumbnailsState } from './thumbnails/local-thumbnails.ts'

/** The current state of a site in the engine. */
export interface LocalSite {
  id: string
  domain: string
  state: 'creating' | 'archived' | 'asleep' | 'running' | 'crashed'
  /** Process id while it runs; otherwise null. */
  pid: number | null
}

/** The engine of "This machine": real WordPress on PHP-WASM, one process per awake site. */
export interface LocalEngine extends Engine {
  /** Whether requests with this Host header belong to sites (a name below the sites' domain). */
  ownsHost(host: string): boolean
  /** Handles a request for such a host; never throws. */
  handleRequest(request: IncomingMessage, response: ServerResponse): void
  listSites(): LocalSite[]
  /** Downloads WordPress into the cache unless it is there; concurrent callers share one download. */
  prepareCore(context: PrepareContext): Promise<{ version: string }>
  /** The WordPress versions for new sites. */
  coreVersions(): Promise<CoreVersions>
  /** Whether screenshots of sites can be taken now. */
  thumbnails(): ThumbnailsState
  /** Processes of awake sites. */
  processes(): Array<{ id: string; pid: number }>
  /** Calls `listener` when a site wakes, sleeps or crashes; the returned function unsubscribes. */
  on(event: 'site', listener: (event: SiteEvent) => void): () => void
  /** Calls `listener` when a site is visited, at most once a minute per site; the returned function unsubscribes. */
  onVisit(listener: (id: string) => void): () => void
  /** Sets the quotas of a site; without this the defaults for its kind apply. */
  setQuota(id: string, quota: SiteQuota): Promise<void>
  /** Says which sites belong together, by their ids: they share what is limited for all of them. */
  setTenants(tenants: ReadonlyMap<string, string>): void
  /** Calls `listener` with a site's disk usage whenever it was measured or evaluated; the returned function unsubscribes. */
  onStorage(listener: (id: string, storage: SiteStorage) => void): () => void
  /** Puts every awake site to sleep; the next request wakes it again. */
  sleepAll(): Promise<void>
  /** Runs the periodic work (scheduled events, sleep, network check) once now; it also runs every 15 seconds. */
  round(): Promise<void>
}
