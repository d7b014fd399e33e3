import type { IncomingMessage, ServerResponse } from 'node:http'
import type { SiteQuota, SiteStorage } from '#shared/rules/site-quotas.ts'
import type { Engine } from '../engine.ts'
import type { SiteEvent } from './processes/awake-options.ts'
import type { PrepareContext } from './core/cached-core.ts'
import type { CoreVersions } from './core/core-supply.ts'
import type { PicturesState } from './pictures/local-pictures.ts'

/** A site as the engine has it now. */
export interface LocalSite {
  id: string
  domain: string
  state: 'creating' | 'archived' | 'asleep' | 'running' | 'crashed'
  /** Process id while it runs. */
  pid: number | null
}

/** The engine of "This machine": real WordPress on PHP-WASM, one process per awake site. */
export interface LocalEngine extends Engine {
  /** Whether requests with this Host header are for sites (a name below the sites' domain). */
  ownsHost(host: string): boolean
  /** Answers a request for such a host; never throws. */
  handleRequest(request: IncomingMessage, response: ServerResponse): void
  listSites(): LocalSite[]
  /** Fetches WordPress into the cache unless it is there; simultaneous callers share one download. */
  prepareCore(context: PrepareContext): Promise<{ version: string }>
  /** Which WordPress new sites get. */
  coreVersions(): Promise<CoreVersions>
  /** Whether pictures of sites are taken now. */
  pictures(): PicturesState
  /** Processes of awake sites. */
  processes(): Array<{ id: string; pid: number }>
  /** Calls `listener` when a site wakes, sleeps or crashes; the returned function ends that. */
  on(event: 'site', listener: (event: SiteEvent) => void): () => void
  /** Calls `listener` when somebody visits a site, at most once a minute for each; the returned function ends that. */
  onVisit(listener: (id: string) => void): () => void
  /** Sets the quotas of a site; without this those of its kind hold. */
  setQuota(id: string, quota: SiteQuota): Promise<void>
  /** Calls `listener` with what a site takes of the disk whenever it was measured or judged; the returned function ends that. */
  onStorage(listener: (id: string, storage: SiteStorage) => void): () => void
  /** Puts every awake site to sleep; the next request wakes it again. */
  sleepAll(): Promise<void>
  /** One round of the regular work (scheduled events, sleep, probe) now; it also runs every 15 seconds. */
  round(): Promise<void>
}
