import { lstat, statfs } from 'node:fs/promises'
import { systemErrorCode } from '#server/platform/startup-error.ts'
import { say } from '#shared/sentence.ts'
import { defaultSiteQuotas, type SiteQuota, type SiteStorage } from '#shared/rules/site-quotas.ts'
import { EngineError } from '../../engine.ts'
import type { LocalEngineLog } from '../options.ts'
import type { SiteRecord } from '../site-record.ts'
import type { SiteStore } from '../site-store.ts'
import type { TreeLimits } from '../trees/limits.ts'
import type { Trees } from '../trees/trees.ts'
import type { QuotaStart } from './quota.ts'
import {
  allowanceOf,
  isComplete,
  judge,
  limitsOf,
  logLimitOf,
  mostMeasured,
  outboxTrim,
  startOf,
  storageOf,
  type Allowance,
  type SiteUsage,
} from './usage.ts'

/** What an awake site takes is measured anew after this time. */
const awakeEveryMs = 60_000
/** A sleeping one changes only when somebody else works on its files. */
const asleepEveryMs = 10 * 60_000
/** Longest measurement of one site (milliseconds); what was not reached by then is told as "at least". */
const mostMs = 5_000
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
  /** What the accountant in a site's process begins with. */
  start(record: SiteRecord): Promise<QuotaStart>
  /** Throws EngineError `unavailable` for a site that is suspended. */
  assertMayRun(id: string): void
  /** Replaces the quotas of a site. One that is awake starts anew with them; one that is suspended may be free again. */
  setQuota(id: string, quota: SiteQuota): Promise<void>
  limitsOf(record: SiteRecord): TreeLimits
  logLimitOf(record: SiteRecord): number
  /** A site woke up: from now on what was measured may be old. */
  woke(id: string): void
  /** Measures what is due, and stops sites that wrote more than they may. */
  round(): Promise<void>
  forget(id: string): void
}

interface Known {
  quota: SiteQuota | null
  usage: SiteUsage | null
  /** When it was measured. */
  at: number
  /** It was awake since it was measured. */
  stale: boolean
  allowance: Allowance | null
}

/** Opens the keeper; its rounds are the engine's. */
export function createStorageKeeper(options: StorageOptions): StorageKeeper {
  const { store, trees, log, now } = options
  const sites = new Map<string, Known>()
  let isDiskFull = false
  let lastFree = Number.POSITIVE_INFINITY

  const knownOf = (id: string): Known => {
    const known = sites.get(id)
    if (known !== undefined) return known
    const fresh: Known = { quota: null, usage: null, at: 0, stale: true, allowance: null }
    sites.set(id, fresh)
    return fresh
  }
  const quotaOf = (record: Pick<SiteRecord, 'id' | 'siteType'>): SiteQuota =>
    sites.get(record.id)?.quota ?? defaultSiteQuotas[record.siteType]

  const measure = async (record: SiteRecord): Promise<SiteUsage> => {
    const known = knownOf(record.id)
    const { www, logs, outbox } = store.paths(record.id)
    const [atFiles, atLogs, atOutbox] = await trees.run('measure', {
      paths: [www, logs, outbox],
      entries: mostMeasured(quotaOf(record)),
      ms: mostMs,
    })
    const none = { bytes: 0, entries: 0, complete: false }
    const usage = { files: atFiles ?? none, logs: atLogs ?? none, outbox: atOutbox ?? none }
    known.usage = usage
    const trim = outboxTrim(quotaOf(record), usage)
    if (trim !== null) await trees.run('trim', { path: outbox, limits: trim })
    known.at = now()
    known.stale = isAwake(record.id)
    return usage
  }
  const isAwake = (id: string): boolean => options.awake().some((one) => one.id === id)

  /** What is known when it can still be true, else a new measurement. */
  const usageOf = async (record: SiteRecord): Promise<SiteUsage> => {
    const { usage, at, stale } = knownOf(record.id)
    if (usage !== null && now() - at < (stale ? awakeEveryMs : asleepEveryMs)) return usage
    return measure(record)
  }

  const stateOf = (record: SiteRecord, usage: SiteUsage): SiteStorage['state'] => {
    if (record.suspended === true) return 'suspended'
    const state = judge(usage, quotaOf(record), knownOf(record.id).allowance)
    return state === 'ok' && isDiskFull ? 'disk_full' : state
  }

  /** Acts on a measurement: a site that holds more than its process could write is stopped, one that does not is free. */
  const settle = async (record: SiteRecord, usage: SiteUsage): Promise<void> => {
    const known = knownOf(record.id)
    const quota = quotaOf(record)
    if (record.suspended === true) {
      if (isComplete(usage) && judge(usage, quota, allowanceOf(quota, emptyUsage)) !== 'suspended') {
        const { suspended: _suspended, ...free } = store.get(record.id) ?? record
        await store.save(free)
      }
    } else if (judge(usage, quota, known.allowance) === 'suspended') {
      log.warn('A site wrote more than its process was allowed to and is suspended', { site: record.id })
      await store.save({ ...(store.get(record.id) ?? record), suspended: true })
      await options.sleep(record.id)
    }
    tell(record.id)
  }

  const tell = (id: string): void => {
    const record = store.get(id)
    const { usage } = knownOf(id)
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
    if (isFull === isDiskFull) return isSudden
    isDiskFull = isFull
    log.warn(isFull ? 'The disk is nearly full: sites cannot write any more' : 'Sites can write again', { free })
    // Their accountants begin anew with the next request.
    for (const { id } of options.awake()) await options.sleep(id)
    return true
  }

  const dueIn = (records: readonly SiteRecord[], urgent: boolean): SiteRecord[] =>
    records.filter((record) => {
      const { at, stale, usage } = knownOf(record.id)
      if (record.suspended === true) return now() - at >= asleepEveryMs
      if (isAwake(record.id)) return urgent || now() - at >= awakeEveryMs
      // One that went to sleep since is measured once more.
      return stale && usage !== null
    })

  return {
    of: async (record) => {
      const usage = await usageOf(record)
      const storage = storageOf(usage, quotaOf(record), stateOf(record, usage))
      const archive = await sizeOf(store.paths(record.id).archive)
      return { storage, diskUsed: storage.bytes + storage.log_bytes + storage.outbox_bytes + archive }
    },
    start: async (record) => {
      // A new site holds what we put there, and somebody waits.
      const usage = record.state === 'creating' ? emptyUsage : await usageOf(record)
      const quota = quotaOf(record)
      knownOf(record.id).allowance = allowanceOf(quota, usage)
      return startOf(quota, usage, isDiskFull)
    },
    assertMayRun: (id) => {
      if (store.get(id)?.suspended !== true) return
      throw new EngineError('unavailable', say`The site is suspended: it takes more of the disk than it may.`, {
        nextAction: say`Ask the platform admin for a larger quota, or delete the site.`,
      })
    },
    setQuota: async (id, quota) => {
      const known = knownOf(id)
      const before = known.quota
      known.quota = quota
      const record = store.get(id)
      if (record === undefined || (before !== null && isSame(before, quota))) return
      if (record.suspended === true) await settle(record, await measure(record))
      else if (isAwake(id)) await options.sleep(id)
      tell(id)
    },
    limitsOf: (record) => limitsOf(quotaOf(record)),
    logLimitOf: (record) => logLimitOf(quotaOf(record)),
    woke: (id) => {
      knownOf(id).stale = true
    },
    round: async () => {
      const urgent = await lookAtDisk()
      for (const record of dueIn(store.all().filter(isThere), urgent)) {
        try {
          await settle(record, await measure(record))
        } catch (error) {
          log.warn('A site could not be measured', { site: record.id, error })
        }
      }
    },
    forget: (id) => {
      sites.delete(id)
    },
  }
}

const nothing = { bytes: 0, entries: 0, complete: true }
const emptyUsage: SiteUsage = { files: nothing, logs: nothing, outbox: nothing }

const isThere = ({ state }: SiteRecord): boolean => state === 'ready'

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
