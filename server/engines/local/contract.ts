import type { IncomingMessage, ServerResponse } from 'node:http'
import type { EngineFacets } from '../engine.ts'
import type { WithFacets } from '../facets.ts'
import type { PrepareContext } from './core/cached-core.ts'
import type { CoreVersions } from './core/core-supply.ts'
import type { Screenshots } from '../screenshots.ts'
import type { ThumbnailsState } from './thumbnails/local-thumbnails.ts'

/** The engine of "This machine": real WordPress on PHP-WASM, one process per awake site. */
export interface LocalEngine extends WithFacets<Exclude<keyof EngineFacets, 'certificates' | 'services' | 'commands'>> {
  /** Whether requests with this Host header belong to sites (a name below the sites' domain). */
  ownsHost(host: string): boolean
  /** Handles a request for such a host; never throws. */
  handleRequest(request: IncomingMessage, response: ServerResponse): void
  /** Public URL of a site with `{slug}` in place of its name. */
  readonly urlPattern: string
  /** Downloads WordPress into the cache unless it is there; concurrent callers share one download. */
  prepareCore(context: PrepareContext): Promise<{ version: string }>
  /** The WordPress versions for new sites. */
  coreVersions(): Promise<CoreVersions>
  /** Whether screenshots of sites can be taken now. */
  thumbnails(): ThumbnailsState
  /** Takes those of other engines, too. */
  readonly screenshots: Screenshots
  /** Processes of awake sites. */
  processes(): Array<{ id: string; pid: number }>
  /** Puts every awake site to sleep; the next request wakes it again. */
  sleepAll(): Promise<void>
  /** Runs the periodic work (scheduled events, sleep, network check) once now; it also runs every 15 seconds. */
  round(): Promise<void>
}
