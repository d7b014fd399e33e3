import { diskSpace } from '#server/platform/files/disk-space.ts'
import { sizeOf } from '#server/platform/files/size-of.ts'
import { msg } from '#shared/localized-message.ts'
import type { SiteQuota, SiteStorage } from '#shared/rules/site-quotas.ts'
import { defaultSiteQuotas } from '#shared/rules/default-site-quotas.ts'
import { EngineError } from '../../engine.ts'
import type { LocalEngineLog } from '../options.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import type { SiteStore } from '../sites/site-store.ts'
import type { TreeLimits } from '../trees/limits.ts'
import type { Trees } from '../trees/trees.ts'
import type { QuotaStart } from './quota.ts'
import { asleepEveryMs, awakeEveryMs, createSiteUsages } from './site-usages.ts'
import { allowanceOf, isComplete, judge, limitsOf, logLimitOf, startOf, storageOf, type SiteUsage } from './usage.ts'

/** Loss of free space between two rounds (bytes) after which awake sites are measured immediately. */
const suddenLossBytes = 1024 ** 3

/** Options of the keeper. */
export interface StorageOptions {
  store: SiteStore
  trees: Trees
  log: LocalEngineLog
  now(): number
  /** Below this free disk space (bytes), no site may write more than it already uses. */
  leastFreeBytes: number
  /** Sites that are awake. */
  awake(): readonly { id: string }[]
  /** Stops a site and all its processes. */
  sleep(id: string): Promise<void>
  /** Called for every new measurement and state. */
  changed(id: string, storage: SiteStorage): void
}

/** Monitors the disk usage of sites from outside their processes, whose own accounting can be bypassed. */
export interface StorageKeeper {
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
  woke(id: string): void
  /** Measures sites that are due, and stops those over their quota. */
  round(): Promise<void>
  forget(id: string): void
}

/** Creates the keeper; the engine calls its rounds. */
export function createStorageKeeper(options: StorageOptions): StorageKeeper {
  const { store, trees, log, now } = options
  let isDiskFull = false
  let lastFree = Number.POSITIVE_INFINITY

  const isAwake = (id: string): boolean => options.awake().some((one) => one.id === id)
  /** While a restored homepage is checked, code of the site is already running. */
  const isWatched = ({ id, state }: SiteRecord): boolean => state === 'ready' || (state === 'restoring' && isAwake(id))
  const quotaOf = (record: Pick<SiteRecord, 'id' | 'siteType'>): SiteQuota =>
    usages.of(record.id).quota ?? defaultSiteQuotas[record.siteType]
  const usages = createSiteUsages({ store, trees, log, now, isAwake, quotaOf })

  const stateOf = (record: SiteRecord, usage: SiteUsage): SiteStorage['state'] => {
    if (record.suspended === true) return 'suspended'
    const state = judge(usage, quotaOf(record), usages.of(record.id).allowance)
    return isDiskFull && state !== 'full' && state !== 'suspended' ? 'disk_full' : state
  }

  /** Acts on a measurement: a site that uses more than its process could write is stopped, otherwise it is released. */
  const settle = async (record: SiteRecord, usage: SiteUsage): Promise<void> => {
    const quota = quotaOf(record)
    const { id } = record
    // Measuring takes time: the site may have been deleted meanwhile.
    if (record.suspended === true) {
      if (isComplete(usage) && judge(usage, quota, allowanceOf(quota, emptyUsage)) !== 'suspended')
        await store.change(id, ({ suspended: _suspended, ...free }) => free)
    } else if (judge(usage, quota, usages.of(id).allowance) === 'suspended') {
      if (record.state === 'restoring') {
        log.warn('A site wrote more than its process was allowed to while it was restored, and is ended', { site: id })
        // Its restore fails, and starts over from the archive.
        await options.sleep(id)
        return
      }
      if ((await store.change(id, (now) => ({ ...now, suspended: true }))) === null) return
      log.warn('A site wrote more than its process was allowed to, or hid something, and is suspended', { site: id })
      await options.sleep(id)
    }
    tell(id)
  }

  const tell = (id: string): void => {
    const record = store.get(id)
    const usage = record === undefined ? null : usages.of(id).usage
    if (record === undefined || usage === null) return
    options.changed(id, storageOf(usage, quotaOf(record), stateOf(record, usage)))
  }

  /** Low disk space affects all sites at once; it is only reset once there is clearly more. */
  const lookAtDisk = async (): Promise<boolean> => {
    const { free } = await diskSpace(store.root)
    const isSudden = lastFree - free > suddenLossBytes
    lastFree = free
    const isFull = free < options.leastFreeBytes * (isDiskFull ? 2 : 1)
    const isChanged = isFull !== isDiskFull
    isDiskFull = isFull
    if (isChanged)
      log.warn(isFull ? 'The disk is nearly full: sites cannot write any more' : 'Sites can write again', { free })
    await endOutdated()
    return isSudden || isChanged
  }

  /**
   * Processes whose accounting started with an outdated disk state are restarted with the next request. Failures are
   * retried.
   */
  const endOutdated = async (): Promise<void> => {
    const outdated = options.awake().filter(({ id }) => usages.of(id).beganFull !== isDiskFull)
    const ended = await Promise.allSettled(outdated.map(({ id }) => options.sleep(id)))
    for (const one of ended)
      if (one.status === 'rejected') log.warn('A site could not be put to sleep', { error: one.reason })
  }

  const dueIn = (records: readonly SiteRecord[], urgent: boolean): SiteRecord[] =>
    records.filter((record) => {
      const { at, stale, usage } = usages.of(record.id)
      if (record.suspended === true) return now() - at >= asleepEveryMs
      if (isAwake(record.id)) return urgent || now() - at >= awakeEveryMs
      // One that went to sleep since is measured once more.
      return stale && usage !== null
    })

  return {
    of: async (record) => {
      const usage = await usages.recent(record)
      const storage = storageOf(usage, quotaOf(record), stateOf(record, usage))
      const archive = await sizeOf(store.paths(record.id).archive)
      return { storage, diskUsed: storage.bytes + storage.log_bytes + storage.outbox_bytes + archive }
    },
    prepare: async (record, signal) => {
      // A new site contains only our own files, and a user is waiting.
      if (record.state !== 'creating') await usages.beforeStart(record, signal)
    },
    start: (record) => {
      const known = usages.of(record.id)
      const usage = record.state === 'creating' ? emptyUsage : known.usage
      // With unknown usage nothing may be written.
      const start = startOf(quotaOf(record), usage ?? emptyUsage, isDiskFull || usage === null)
      known.allowance = allowanceOf(quotaOf(record), usage ?? emptyUsage)
      known.beganFull = isDiskFull
      usages.begun(record.id)
      return start
    },
    woke: usages.begun,
    assertMayRun: (id) => {
      if (store.get(id)?.suspended !== true) return
      throw new EngineError(
        'unavailable',
        msg`The site is suspended: it uses more disk space than its quota allows, or has folders that cannot be measured.`,
        {
          nextAction: msg`Ask the platform admin for a larger quota or to look at its folders, or delete the site.`,
        },
      )
    },
    setQuota: async (id, quota) => {
      const record = store.get(id)
      // The first call usually repeats the current values: that must not end a process in the middle of its responses.
      const isNew = record !== undefined && !isSame(quotaOf(record), quota)
      const known = usages.of(id)
      known.quota = quota
      if (!isNew) return
      if (record.suspended === true) known.at = 0
      else if (isAwake(id)) await options.sleep(id)
      tell(id)
    },
    limitsOf: (record) => limitsOf(quotaOf(record)),
    logLimitOf: (record) => logLimitOf(quotaOf(record)),
    round: async () => {
      const urgent = await lookAtDisk()
      for (const record of dueIn(store.all().filter(isWatched), urgent)) {
        try {
          await settle(record, await usages.measure(record))
        } catch (error) {
          log.warn('A site could not be measured', { site: record.id, error })
        }
      }
    },
    forget: usages.forget,
  }
}

const nothing = { bytes: 0, entries: 0, complete: true, hidden: false }
const emptyUsage: SiteUsage = { files: nothing, logs: nothing, outbox: nothing }

const isSame = (one: SiteQuota, other: SiteQuota): boolean =>
  one.disk_mb === other.disk_mb &&
  one.files === other.files &&
  one.log_mb === other.log_mb &&
  one.outbox_mb === other.outbox_mb
