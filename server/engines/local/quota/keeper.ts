import { lstat, statfs } from 'node:fs/promises'
import { systemErrorCode } from '#server/platform/processes/startup-error.ts'
import { say } from '#shared/sentence.ts'
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

/** Loss of free space between two rounds (bytes) after which awake sites are measured at once. */
const suddenLossBytes = 1024 ** 3

/** What the keeper needs from the engine. */
export interface StorageOptions {
  store: SiteStore
  trees: Trees
  log: LocalEngineLog
  now(): number
  /** With less free space on the disk, no site may write more than it holds (bytes). */
  leastFreeBytes: number
  /** Sites that are awake. */
  awake(): readonly { id: string }[]
  /** Stops a site with everything it runs. */
  sleep(id: string): Promise<void>
  /** Told of every new measurement and state. */
  changed(id: string, storage: SiteStorage): void
}

/** Watches what sites take of the disk from outside of their processes, whose own accountants can be got around. */
export interface StorageKeeper {
  /** What a site takes now; sleeping sites are measured once, awake ones every minute. */
  of(record: SiteRecord): Promise<{ storage: SiteStorage; diskUsed: number }>
  /** Measures what a process that starts now would begin with, when that is not known: somebody waits for it. */
  prepare(record: SiteRecord, signal: AbortSignal): Promise<void>
  /** What the accountant in a site's process begins with, as it was prepared. */
  start(record: SiteRecord): QuotaStart
  /** Throws EngineError `unavailable` for a site that is suspended. */
  assertMayRun(id: string): void
  /**
   * Replaces the quotas of a site. One that is awake starts anew with them; one that is suspended is measured in the next
   * round, and may be free then.
   */
  setQuota(id: string, quota: SiteQuota): Promise<void>
  limitsOf(record: SiteRecord): TreeLimits
  logLimitOf(record: SiteRecord): number
  /** A process of a site runs: from now on what was measured may be old. */
  woke(id: string): void
  /** Measures what is due, and stops sites that wrote more than they may. */
  round(): Promise<void>
  forget(id: string): void
}

/** Opens the keeper; its rounds are the engine's. */
export function createStorageKeeper(options: StorageOptions): StorageKeeper {
  const { store, trees, log, now } = options
  let isDiskFull = false
  let lastFree = Number.POSITIVE_INFINITY

  const isAwake = (id: string): boolean => options.awake().some((one) => one.id === id)
  /** Code of a site runs already while its restored page is looked at. */
  const isWatched = ({ id, state }: SiteRecord): boolean => state === 'ready' || (state === 'restoring' && isAwake(id))
  const quotaOf = (record: Pick<SiteRecord, 'id' | 'siteType'>): SiteQuota =>
    usages.of(record.id).quota ?? defaultSiteQuotas[record.siteType]
  const usages = createSiteUsages({ store, trees, log, now, isAwake, quotaOf })

  const stateOf = (record: SiteRecord, usage: SiteUsage): SiteStorage['state'] => {
    if (record.suspended === true) return 'suspended'
    const state = judge(usage, quotaOf(record), usages.of(record.id).allowance)
    return isDiskFull && state !== 'full' && state !== 'suspended' ? 'disk_full' : state
  }

  /** Acts on a measurement: a site that holds more than its process could write is stopped, one that does not is free. */
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
        // Its restoring fails, and begins anew with what is in the archive.
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

  /** Free space decides for all sites at once; back only when there is clearly more. */
  const lookAtDisk = async (): Promise<boolean> => {
    const { bavail, bsize } = await statfs(store.root)
    const free = bavail * bsize
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

  /** Accountants that began with the disk as it is no more begin anew with the next request. What fails is tried again. */
  const endOutdated = async (): Promise<void> => {
    const outdated = options.awake().filter(({ id }) => usages.of(id).beganFull !== isDiskFull)
    const ended = await Promise.allSettled(outdated.map(({ id }) => options.sleep(id)))
    for (const one of ended)
      if (one.status === 'rejected') log.warn('A site could not be put to sleep', { error: one.reason as unknown })
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
      // A new site holds what we put there, and somebody waits.
      if (record.state !== 'creating') await usages.beforeStart(record, signal)
    },
    start: (record) => {
      const known = usages.of(record.id)
      const usage = record.state === 'creating' ? emptyUsage : known.usage
      // Nothing may be written where nobody knows what there is.
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
        say`The site is suspended: it uses more disk space than its quota allows, or has folders that cannot be measured.`,
        {
          nextAction: say`Ask the platform admin for a larger quota or to look at its folders, or delete the site.`,
        },
      )
    },
    setQuota: async (id, quota) => {
      const record = store.get(id)
      // The first time it is told mostly what held already: that must not end a process in the middle of its answers.
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

async function sizeOf(path: string): Promise<number> {
  try {
    return (await lstat(path)).size
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return 0
    throw error
  }
}
