import { sizeOf } from '#server/platform/files/size-of.ts'
import { msg } from '#shared/localized-message.ts'
import type { SiteQuota, SiteStorage } from '#shared/rules/site-quotas.ts'
import { EngineError } from '../../engine.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import type { TreeLimits } from '../trees/limits.ts'
import {
  createStorageMonitorContext,
  isAwake,
  quotaOf,
  reportStorage,
  siteStorage,
  type StorageMonitorContext,
  type StorageOptions,
} from './storage-monitor-context.ts'
import { measureDueSites } from './storage-monitor-round.ts'
import type { QuotaStart } from './quota.ts'
import { allowanceOf, emptyUsage, limitsOf, logLimitOf, initialQuota } from './usage.ts'

/** Monitors the disk usage of sites from outside their processes, whose own accounting can be bypassed. */
export interface StorageMonitor {
  /** Current usage of a site; sleeping sites are measured once, awake ones every minute. */
  of(record: SiteRecord): Promise<{ storage: SiteStorage; diskUsed: number }>
  /** Measures the usage a starting process needs, if it is unknown: a user is waiting for it. */
  prepare(record: SiteRecord, signal: AbortSignal): Promise<void>
  /** Initial values for the accounting in a site's process, as prepared. */
  start(record: SiteRecord): QuotaStart
  /** Throws EngineError `unavailable` if the site is suspended. */
  assertMayRun(id: string): void
  /**
   * Replaces the quotas of a site. An awake one restarts with them; a suspended one is measured in the next round and may be
   * released then.
   */
  setQuota(id: string, quota: SiteQuota): Promise<void>
  limitsOf(record: SiteRecord): TreeLimits
  logLimitOf(record: SiteRecord): number
  /** Called when a process of a site runs: from now on measurements may be outdated. */
  siteWoken(id: string): void
  /** Measures sites that are due, and stops those over their quota. */
  round(): Promise<void>
  forget(id: string): void
  /** What may be added to a site now. */
  room(record: SiteRecord): Promise<TreeLimits>
  /** Called when the engine itself added files to a site. */
  grown(id: string, added: TreeLimits): void
  /** Called when the files of a site were packed or unpacked: it is measured again before the next use of its usage. */
  invalidate(id: string): void
}

/** Creates the monitor; the engine calls its rounds. */
export function createStorageMonitor(options: StorageOptions): StorageMonitor {
  const context = createStorageMonitorContext(options)
  return {
    of: (record) => currentUsage(context, record),
    prepare: async (record, signal) => {
      // A new site contains only our own files, and a user is waiting.
      if (record.state !== 'creating') await context.usages.beforeStart(record, signal)
    },
    start: (record) => startAccounting(context, record),
    siteWoken: context.usages.begun,
    assertMayRun: (id) => assertNotSuspended(options, id),
    setQuota: (id, quota) => setQuota(context, id, quota),
    limitsOf: (record) => limitsOf(quotaOf(context, record)),
    logLimitOf: (record) => logLimitOf(quotaOf(context, record)),
    round: () => measureDueSites(context),
    forget: context.usages.forget,
    room: (record) => roomOf(context, record),
    grown: context.usages.grown,
    invalidate: context.usages.invalidate,
  }
}

async function currentUsage(
  context: StorageMonitorContext,
  record: SiteRecord,
): Promise<{ storage: SiteStorage; diskUsed: number }> {
  const usage = await context.usages.recent(record)
  const storage = siteStorage(context, record, usage)
  const archive = await sizeOf(context.options.store.paths(record.id).archive)
  return { storage, diskUsed: storage.bytes + storage.log_bytes + storage.outbox_bytes + archive }
}

/** Nothing while the disk is nearly full, or not everything could be measured. */
async function roomOf(context: StorageMonitorContext, record: SiteRecord): Promise<TreeLimits> {
  const { usedBytes, maxBytes, usedEntries, maxEntries } = initialQuota(
    quotaOf(context, record),
    await context.usages.recent(record),
    context.isDiskFull,
  )
  return { bytes: Math.max(0, maxBytes.files - usedBytes.files), entries: Math.max(0, maxEntries - usedEntries) }
}

function startAccounting(context: StorageMonitorContext, record: SiteRecord): QuotaStart {
  const { usages, isDiskFull } = context
  const known = usages.of(record.id)
  const quota = quotaOf(context, record)
  const usage = record.state === 'creating' ? emptyUsage : known.usage
  // With unknown usage nothing may be written.
  const start = initialQuota(quota, usage ?? emptyUsage, isDiskFull || usage === null)
  known.allowance = allowanceOf(quota, usage ?? emptyUsage)
  known.beganFull = isDiskFull
  usages.begun(record.id)
  return start
}

function assertNotSuspended({ store }: StorageOptions, id: string): void {
  if (store.get(id)?.suspended !== true) return
  throw new EngineError(
    'unavailable',
    msg`The site is suspended: it uses more disk space than its quota allows, or has folders that cannot be measured.`,
    {
      nextAction: msg`Ask the platform admin for a larger quota or to look at its folders, or delete the site.`,
    },
  )
}

async function setQuota(context: StorageMonitorContext, id: string, quota: SiteQuota): Promise<void> {
  const { options, usages } = context
  const record = options.store.get(id)
  // The first call usually repeats the current values: that must not end a process in the middle of its responses.
  const isNew = record !== undefined && !isSameQuota(quotaOf(context, record), quota)
  const known = usages.of(id)
  known.quota = quota
  if (!isNew) return
  if (record.suspended === true) known.at = 0
  else if (isAwake(options, id)) await options.sleep(id)
  reportStorage(context, id)
}

const isSameQuota = (one: SiteQuota, other: SiteQuota): boolean =>
  one.disk_mb === other.disk_mb &&
  one.files === other.files &&
  one.log_mb === other.log_mb &&
  one.outbox_mb === other.outbox_mb
