import { createFairQueue, type FairQueue } from '#server/platform/fair-queue.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'
import type { LocalEngineLog } from '../options.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import type { SiteStore } from '../sites/site-store.ts'
import type { Measured } from '../trees/measure.ts'
import type { Trees } from '../trees/trees.ts'
import type { SiteQuota } from '#shared/rules/site-quotas.ts'
import { maxMeasuredEntries, outboxTrim, type Allowance, type SiteUsage } from './usage.ts'

/** Interval of measuring an awake site. */
export const awakeEveryMs = 60_000
/** Interval for a sleeping site, which changes only if something else modifies its files. */
export const asleepEveryMs = 10 * 60_000
/** Maximum CPU time per folder (milliseconds): ten times what the largest quota needs on a slow machine. */
const maxCpuMs = 30_000
/** Maximum concurrent measurements for starts; each uses a process, and a large site delays none of the others. */
const startsAtOnce = 4

/** What is known about a site. */
export interface KnownSite {
  quota: SiteQuota | null
  usage: SiteUsage | null
  /** Bytes of its database outside its folder when it was measured. */
  databaseBytes: number
  /** Time of the measurement; 0: it is due. */
  at: number
  /** A process of it ran since the measurement. */
  stale: boolean
  /** Limit of its current or last process. */
  allowance: Allowance | null
  /** Its process started on a nearly full disk. */
  beganFull: boolean
  /** Number of times a process of it started. */
  runs: number
  /** Settles with the running measurement: an older one must not replace the result of a newer one. */
  measuring: Promise<unknown>
}

/** Usage of sites, measured on demand. */
export interface SiteUsages {
  of(id: string): KnownSite
  forget(id: string): void
  /** Called when the engine itself replaced or removed the files: earlier measurements no longer apply. */
  invalidate(id: string): void
  /** Called when the engine itself added files to a site. */
  grown(id: string, added: { readonly bytes: number; readonly entries: number }): void
  /** Called when a process starts or started: measurements until it ends may be outdated immediately. */
  begun(id: string): void
  /** Measures now. `signal`: a user is waiting for the result; aborts the wait. */
  measure(record: SiteRecord, signal?: AbortSignal): Promise<SiteUsage>
  /** The known usage if it is recent enough, otherwise a new measurement. */
  recent(record: SiteRecord): Promise<SiteUsage>
  /** Usage of a site that is not running: measured after its last process, however recent that was. */
  beforeStart(record: SiteRecord, signal: AbortSignal): Promise<SiteUsage>
}

/** The queue of measurements that starts wait for: unlimited in length, and fair between sites. */
function createStartQueue(): FairQueue {
  const unlimited = Number.POSITIVE_INFINITY
  return createFairQueue({
    atOnce: startsAtOnce,
    waiting: { all: unlimited, ofKind: unlimited },
    share: { known: unlimited, unknown: unlimited },
    full: () => new EngineError('unavailable', msg`The engine is busy.`, { nextAction: msg`Try again in a moment.` }),
  })
}

/** Dependencies of the measurements. */
interface SiteUsagesOptions {
  store: SiteStore
  trees: Trees
  log: LocalEngineLog
  now(): number
  isAwake(id: string): boolean
  quotaOf(record: SiteRecord): SiteQuota
  /** Bytes of a database outside the site's folder. */
  databaseBytes(record: SiteRecord): Promise<number>
  /** Its folder, if it is on this machine. */
  databaseFolder(record: SiteRecord): Promise<string | null>
}

/** Creates them; nothing is measured yet. */
export function createSiteUsages(options: SiteUsagesOptions): SiteUsages {
  const { store, trees, now, isAwake } = options
  const sites = new Map<string, KnownSite>()
  const starts = createStartQueue()

  const of = (id: string): KnownSite => {
    const known = sites.get(id)
    if (known !== undefined) return known
    const fresh: KnownSite = {
      quota: null,
      usage: null,
      databaseBytes: 0,
      at: 0,
      stale: true,
      allowance: null,
      beganFull: false,
      runs: 0,
      measuring: Promise.resolve(),
    }
    sites.set(id, fresh)
    return fresh
  }

  const measureNow = async (record: SiteRecord, signal?: AbortSignal): Promise<SiteUsage> => {
    const known = of(record.id)
    const { runs } = known
    const wasAwake = isAwake(record.id)
    const { www, logs, outbox, temporary, trash } = store.paths(record.id)
    const quota = options.quotaOf(record)
    const database = await measureDatabase(options, known, record)
    const measured = await trees.run(
      'measure',
      {
        paths: [www, logs, outbox, temporary, trash, ...(database.folder === null ? [] : [database.folder])],
        // A process is limited by the usage at its start, so the measurement must be complete.
        entries: signal === undefined ? maxMeasuredEntries(known.allowance) : Number.POSITIVE_INFINITY,
        cpuMs: maxCpuMs,
        waited: signal !== undefined,
      },
      signal === undefined ? {} : { signal },
    )
    const usage = usageOf(measured, database.bytes)
    known.usage = usage
    known.at = now()
    // What was written during the measurement may or may not be included.
    known.stale = wasAwake || runs !== known.runs || isAwake(record.id)
    const trim = outboxTrim(quota, usage)
    if (trim === null) return usage
    try {
      await trees.run('trim', { path: outbox, limits: trim })
      usage.outbox = {
        ...usage.outbox,
        bytes: Math.min(usage.outbox.bytes, trim.bytes),
        entries: Math.min(usage.outbox.entries, trim.entries),
      }
    } catch (error) {
      // The measurement is valid anyway.
      options.log.warn('The captured mail of a site could not be cut to its quota', { site: record.id, error })
    }
    return usage
  }
  const measure: SiteUsages['measure'] = (record, signal) => {
    const known = of(record.id)
    const work = known.measuring.then(() => measureNow(record, signal))
    known.measuring = work.catch(() => undefined)
    return work
  }
  const isYoung = ({ at }: KnownSite, ms: number): boolean => now() - at < ms

  return {
    of,
    forget: (id) => {
      sites.delete(id)
    },
    invalidate: (id) => {
      const known = sites.get(id)
      if (known === undefined) return
      known.usage = null
      known.at = 0
    },
    grown: (id, added) => countAdded(sites.get(id), added),
    begun: (id) => {
      const known = of(id)
      known.runs += 1
      known.stale = true
    },
    measure,
    recent: async (record) => {
      const known = of(record.id)
      if (known.usage !== null && isYoung(known, known.stale ? awakeEveryMs : asleepEveryMs)) return known.usage
      return measure(record)
    },
    beforeStart: async (record, signal) => {
      const known = of(record.id)
      const isTrue = () => known.usage !== null && !known.stale && isYoung(known, asleepEveryMs)
      if (!isTrue()) await known.measuring
      if (known.usage !== null && isTrue()) return known.usage
      return starts.run({ key: record.id, known: true }, () => measure(record, signal))
    },
  }
}

/**
 * A database that can't be asked has the size it had before: neither a site that makes it slow nor a server that is down keeps
 * the files of a site from being measured.
 */
async function measureDatabase(
  { databaseBytes, databaseFolder, log }: SiteUsagesOptions,
  known: KnownSite,
  record: SiteRecord,
): Promise<{ readonly bytes: number; readonly folder: string | null }> {
  try {
    known.databaseBytes = await databaseBytes(record)
    return { bytes: known.databaseBytes, folder: await databaseFolder(record) }
  } catch (error) {
    log.warn('The database of a site could not be measured', { site: record.id, error })
    return { bytes: known.databaseBytes, folder: null }
  }
}

/**
 * Of the folders in the order in which they were measured. Deleted files take space until the trash is emptied. The files of
 * a database are more than its tables where it has large definitions, and less where the server keeps those elsewhere.
 */
function usageOf(
  [files, logs, outbox, temporary, trash, database]: readonly Measured[],
  databaseBytes: number,
): SiteUsage {
  const none = { bytes: 0, entries: 0, complete: false, hidden: false }
  const inFolder = database ?? { ...none, complete: true }
  const whole = { ...inFolder, bytes: Math.max(inFolder.bytes, databaseBytes) }
  const written = [temporary, trash, whole].reduce(sumOf, files ?? none)
  return { files: written, logs: logs ?? none, outbox: outbox ?? none }
}

function countAdded(known: KnownSite | undefined, { bytes, entries }: { bytes: number; entries: number }): void {
  if (known === undefined) return
  known.stale = true
  if (known.usage !== null) known.usage = { ...known.usage, files: addedTo(known.usage.files, bytes, entries) }
}

function addedTo(files: Measured, bytes: number, entries: number): Measured {
  return { ...files, bytes: files.bytes + bytes, entries: files.entries + entries }
}

function sumOf(files: Measured, more: Measured | undefined): Measured {
  if (more === undefined) return files
  return {
    ...addedTo(files, more.bytes, more.entries),
    complete: files.complete && more.complete,
    hidden: files.hidden || more.hidden,
  }
}
