import type { LocalizedMessage } from '#shared/localized-message.ts'
import type { SiteQuota, SiteStorage } from '#shared/rules/site-quotas.ts'
import type { StepContext } from './engine-step.ts'
import type { ServerRef } from './site-ref.ts'

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
  /** What else decides what its engine can do there, such as versions of software; stored, and given to calls as `ServerRef.facts`. */
  facts?: Readonly<Record<string, unknown>>
}

/** A site as its machine holds it. */
export interface HostedSite {
  /** Null: nothing on the machine says which site it is; it was there before. */
  readonly id: string | null
  readonly domain: string
  /** `running`: it answers without being woken. */
  readonly state: 'creating' | 'asleep' | 'running' | 'crashed' | 'archived'
  /** Its process; null while it sleeps, and for a site that needs none. */
  readonly pid: number | null
  /** Somebody gave it this domain on the machine, so it is no leftover of ours. */
  readonly isRenamed?: true
}

/** The sites of a machine, all at once. */
export interface SiteHost {
  /** All sites on the machine of a server, whatever documents say. */
  sites(server: ServerRef): Promise<readonly HostedSite[]>
  /** Removes what file managers and SQL consoles kept long enough. Only where that has to be asked for. */
  sweepKept?(server: ServerRef): Promise<void>
  /**
   * Removes what the engine put into the sites of a server, and what it keeps there. Sites are served as before; what stays because a site does not work without it
   * is in the log. Only where a server can be left.
   */
  leave?(server: ServerRef, step: Pick<StepContext, 'signal' | 'log'>): Promise<void>
}

/** An event of a site's process. */
export interface SiteEvent {
  readonly id: string
  readonly event: 'wake' | 'sleep' | 'crash'
  /** The reason for a crash. */
  readonly reason: LocalizedMessage | null
}

/** Tells what happens to sites. The returned functions unsubscribe. */
export interface SiteEvents {
  /** Calls `listener` when a site wakes, sleeps or crashes. */
  onProcess(listener: (event: SiteEvent) => void): () => void
  /** Calls `listener` when a site is visited, at most once a minute per site. */
  onVisit(listener: (id: string) => void): () => void
}

/** Limits what sites write. */
export interface SiteQuotas {
  /** Sets the quotas of a site; without this the defaults for its kind apply. */
  set(id: string, quota: SiteQuota): Promise<void>
  /** Says which sites belong together, by their ids: they share what is limited for all of them. */
  setTenants(tenants: ReadonlyMap<string, string>): void
  /**
   * Calls `listener` with a site's disk usage whenever it was measured or evaluated; the returned function unsubscribes.
   */
  onStorage(listener: (id: string, storage: SiteStorage) => void): () => void
}
