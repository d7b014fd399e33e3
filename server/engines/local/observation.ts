import type { SiteObservation, SiteRef } from '../engine.ts'
import type { AwakeSites } from './awake-sites.ts'
import type { LocalSite } from './contract.ts'
import { treeSize } from './copy-tree.ts'
import { assertSiteRef, type SiteRecord } from './site-record.ts'
import type { SiteStore } from './site-store.ts'

/** A size on disk is measured anew after this time. */
const diskUseForMs = 60_000

/** What is really there of the sites. */
export interface Observation {
  stateOf(record: SiteRecord): LocalSite['state']
  of(site: SiteRef): Promise<SiteObservation>
  /** Forgets what was measured of a site that is gone. */
  forget(id: string): void
}

/** Looks at folders and processes. */
export function createObservation({
  store,
  awake,
  now,
}: {
  store: SiteStore
  awake: AwakeSites
  now: () => number
}): Observation {
  const diskUse = new Map<string, { bytes: number; at: number }>()

  const stateOf = (record: SiteRecord): LocalSite['state'] => {
    if (record.state === 'archived' || record.state === 'archiving') return 'archived'
    if (record.state !== 'ready') return 'creating'
    if (record.siteType === 'html' || awake.running(record.id) !== null) return 'running'
    return awake.crash(record.id) === null ? 'asleep' : 'crashed'
  }

  return {
    stateOf,
    forget: (id) => {
      diskUse.delete(id)
    },
    of: async (site) => {
      assertSiteRef(site)
      const record = store.get(site.id)
      if (record === undefined)
        return { state: 'absent', wordpressVersion: null, phpVersion: null, diskUsed: 0, reason: null }
      const state = record.state === 'ready' || record.state === 'archived' ? stateOf(record) : 'partial'
      const cached = diskUse.get(site.id)
      const use =
        cached !== undefined && now() - cached.at < diskUseForMs
          ? cached
          : { bytes: await treeSize(store.paths(site.id).folder), at: now() }
      diskUse.set(site.id, use)
      return {
        state: state === 'creating' ? 'partial' : state,
        wordpressVersion: record.wordpressVersion,
        phpVersion: record.siteType === 'html' ? null : record.phpVersion,
        diskUsed: use.bytes,
        reason: state === 'crashed' ? awake.crash(site.id) : null,
      }
    },
  }
}
