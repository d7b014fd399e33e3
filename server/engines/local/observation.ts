import type { SiteObservation } from '../engine.ts'
import type { HostedSite } from '../site-host.ts'
import type { SiteRef } from '../site-ref.ts'
import type { AwakeSites } from './processes/awake-sites.ts'
import type { StorageMonitor } from './quota/storage-monitor.ts'
import { assertSiteRef, type SiteRecord } from './sites/site-record.ts'
import type { SiteStore } from './sites/site-store.ts'

/** The actual state of sites. */
export interface Observation {
  stateOf(record: SiteRecord): HostedSite['state']
  /** `measure`: includes the disk usage, which may take seconds. */
  of(site: SiteRef, measure: boolean): Promise<SiteObservation>
}

const nothing = { wordpressVersion: null, phpVersion: null, diskUsed: 0, storage: null, reason: null } as const

/** Inspects folders and processes. */
export function createObservation({
  store,
  awake,
  storage,
}: {
  store: SiteStore
  awake: AwakeSites
  storage: StorageMonitor
}): Observation {
  const stateOf = (record: SiteRecord): HostedSite['state'] => {
    if (record.state === 'archived' || record.state === 'archiving') return 'archived'
    if (record.state !== 'ready') return 'creating'
    if (record.siteType === 'html' || awake.running(record.id) !== null) return 'running'
    return awake.crash(record.id) === null ? 'asleep' : 'crashed'
  }

  return {
    stateOf,
    of: async (site, measure) => {
      assertSiteRef(site)
      const record = store.get(site.id)
      if (record === undefined) return { state: 'absent', ...nothing }
      const state = record.state === 'ready' || record.state === 'archived' ? stateOf(record) : 'partial'
      return {
        ...nothing,
        state: state === 'creating' ? 'partial' : state,
        wordpressVersion: record.wordpressVersion,
        phpVersion: record.siteType === 'html' ? null : record.phpVersion,
        ...(measure ? await storage.of(record) : {}),
        reason: state === 'crashed' ? awake.crash(site.id) : null,
      }
    },
  }
}
