import { defaultSiteQuotas } from '#shared/rules/default-site-quotas.ts'
import type { SiteQuota, SiteStorage } from '#shared/rules/site-quotas.ts'
import type { LocalEngineLog } from '../options.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import type { SiteStore } from '../sites/site-store.ts'
import type { Trees } from '../trees/trees.ts'
import { createSiteUsages, type SiteUsages } from './site-usages.ts'
import { evaluateUsage, storageOf, type SiteUsage } from './usage.ts'

/** Options of the monitor. */
export interface StorageOptions {
  store: SiteStore
  trees: Trees
  log: LocalEngineLog
  now(): number
  /** Below this free disk space (bytes), no site may write more than it already uses. */
  minFreeBytes: number
  /** Sites that are awake. */
  awake(): readonly { id: string }[]
  /** Stops a site and all its processes. */
  sleep(id: string): Promise<void>
  /** Bytes of a site's database outside its folder; 0 if it has none. */
  databaseBytes(record: SiteRecord): Promise<number>
  /** The folder of that database, if it is on this machine: its entries count, too. */
  databaseFolder(record: SiteRecord): Promise<string | null>
  /** Called for every new measurement and state. */
  changed(id: string, storage: SiteStorage): void
}

/** The monitor's options and state. */
export interface StorageMonitorContext {
  readonly options: StorageOptions
  readonly usages: SiteUsages
  /** Whether free disk space is low, as of the last round. */
  isDiskFull: boolean
  /** Free disk space (bytes) in the last round. */
  lastFree: number
}

/** The state before the first round; nothing is measured yet. */
export function createStorageMonitorContext(options: StorageOptions): StorageMonitorContext {
  const { store, trees, log, now } = options
  const usages: SiteUsages = createSiteUsages({
    store,
    trees,
    log,
    now,
    isAwake: (id) => isAwake(options, id),
    quotaOf: (record) => quotaIn(usages, record),
    databaseBytes: options.databaseBytes,
    databaseFolder: options.databaseFolder,
  })
  return { options, usages, isDiskFull: false, lastFree: Number.POSITIVE_INFINITY }
}

/** Whether a process of the site runs. */
export function isAwake(options: StorageOptions, id: string): boolean {
  return options.awake().some((one) => one.id === id)
}

/** The site's quota, or the default of its kind. */
export function quotaOf(context: StorageMonitorContext, record: QuotaOwner): SiteQuota {
  return quotaIn(context.usages, record)
}

type QuotaOwner = Pick<SiteRecord, 'id' | 'siteType' | 'rehearsal' | 'openQuota'>

/** What was within the quota of a site when it was backed up must not fail at that of its rehearsal, which has a dump besides. */
function quotaIn(usages: SiteUsages, { id, siteType, rehearsal, openQuota }: QuotaOwner): SiteQuota {
  const quota = usages.of(id).quota ?? defaultSiteQuotas[siteType]
  return rehearsal === true ? { ...quota, ...(openQuota ?? { disk_mb: 0, files: 0 }) } : quota
}

/** A site's usage as shown to users, with its quotas and what follows from them. */
export function siteStorage(context: StorageMonitorContext, record: SiteRecord, usage: SiteUsage): SiteStorage {
  return storageOf(usage, quotaOf(context, record), stateOf(context, record, usage))
}

function stateOf(context: StorageMonitorContext, record: SiteRecord, usage: SiteUsage): SiteStorage['state'] {
  if (record.suspended === true) return 'suspended'
  const state = evaluateUsage(usage, quotaOf(context, record), context.usages.of(record.id).allowance)
  return context.isDiskFull && state !== 'full' && state !== 'suspended' ? 'disk_full' : state
}

/** Reports the known usage of a site, if it still exists and was measured. */
export function reportStorage(context: StorageMonitorContext, id: string): void {
  const { options, usages } = context
  const record = options.store.get(id)
  const usage = record === undefined ? null : usages.of(id).usage
  if (record === undefined || usage === null) return
  options.changed(id, siteStorage(context, record, usage))
}
