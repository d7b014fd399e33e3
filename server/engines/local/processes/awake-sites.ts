import { msg, type LocalizedMessage } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'
import type { AwakeOptions } from './awake-options.ts'
import { residentMb } from './resident-memory.ts'
import { startSiteProcess, type SiteProcess } from './site-process-handle.ts'

/** Delays before a crashed site is restarted; after the last one it stays down until the next request. */
const backOffMs = [500, 1_000, 3_000, 10_000]
/** Crashes older than this are ignored. */
const forgiveMs = 10 * 60_000
/** Maximum number of immediate restarts after PHP broke; each further one counts as a crash. */
const mostBreaks = 10
/** A site that keeps crashing gets one more attempt per this time. */
const parkedMs = 60_000
const watchEveryMs = 1_000
/** After this time a slow start no longer blocks others: the site's code can prolong it, e.g. with a database journal. */
const startPatienceMs = 5_000

/** The processes of awake sites. */
export interface AwakeSites {
  /** Returns the site's process; starts it if it sleeps. Concurrent callers share one start. */
  wake(id: string, signal?: AbortSignal): Promise<SiteProcess>
  /** The same without counting as use: for periodic work, which must not keep a site awake. */
  wakeUnnoticed(id: string): Promise<SiteProcess>
  /** Marks the site as in use until the returned function is called. */
  hold(id: string): () => void
  running(id: string): SiteProcess | null
  /** Why the site is down after a crash; null if it is not. */
  crash(id: string): LocalizedMessage | null
  /** Stops the process, ends leftover processes, and resets its crashes. Rejects if something is still running then. */
  sleep(id: string): Promise<void>
  /** Sites not used since `before` (milliseconds since 1970). */
  idleSince(before: number): string[]
  list(): Array<{ id: string; pid: number }>
  stopAll(): Promise<void>
}

interface Entry {
  starting: Promise<SiteProcess> | null
  /** Aborts a start in progress. */
  abort: AbortController
  process: SiteProcess | null
  /** Its start takes long, so that others continue; it still counts toward the maximum. */
  isSlow: boolean
  holds: number
  lastUsed: number
  crashes: number[]
  /** Times at which its PHP broke. */
  breaks: number[]
  blockedUntil: number
  reason: LocalizedMessage | null
  restart: NodeJS.Timeout | null
}

function stoppedError(): EngineError {
  return new EngineError('unavailable', msg`The site was stopped.`, {
    retryable: true,
    nextAction: msg`Try again in a moment.`,
  })
}

/** Starts, monitors and stops the processes of sites. */
export function createAwakeSites(options: AwakeOptions): AwakeSites {
  const entries = new Map<string, Entry>()
  let stopped = false
  /** Sites whose leftover processes are being ended: a process started meanwhile would be taken for one of them. */
  const clearing = new Map<string, Promise<void>>()
  /** Starts are serialized: two at once could both claim the last free slot. */
  let gate: Promise<unknown> = Promise.resolve()

  const entryOf = (id: string): Entry => {
    const known = entries.get(id)
    if (known !== undefined) return known
    const fresh: Entry = {
      starting: null,
      abort: new AbortController(),
      process: null,
      isSlow: false,
      holds: 0,
      lastUsed: 0,
      crashes: [],
      breaks: [],
      blockedUntil: 0,
      reason: null,
      restart: null,
    }
    entries.set(id, fresh)
    return fresh
  }

  const stopOldest = async (forId: string): Promise<void> => {
    for (;;) {
      const awake = [...entries].filter(([id, entry]) => id !== forId && (entry.process !== null || entry.isSlow))
      if (awake.length < options.awakeMax) return
      const [victim] = awake.sort(
        ([, a], [, b]) => Number(a.holds > 0) - Number(b.holds > 0) || a.lastUsed - b.lastUsed,
      )
      if (victim === undefined) return
      options.log.info('Putting a site to sleep to make room', { site: victim[0] })
      await sleep(victim[0])
    }
  }

  const begin = async (id: string, signal: AbortSignal): Promise<SiteProcess> =>
    startSiteProcess({ ...(await options.boot(id)), notes: options.notes }, signal)

  const start = async (id: string, entry: Entry, signal: AbortSignal | undefined): Promise<SiteProcess> => {
    const either = signal === undefined ? entry.abort.signal : AbortSignal.any([signal, entry.abort.signal])
    // Processes that could not be ended are retried, and if that fails the start fails with its reason.
    await clearing.get(id)?.catch(() => clear(id, () => Promise.resolve(null)))
    await options.prepare(id, either)
    const turn = gate
    const done = Promise.withResolvers<void>()
    gate = done.promise
    try {
      await turn
      if (entry.abort.signal.aborted) throw stoppedError()
      await stopOldest(id)
      if (entry.abort.signal.aborted) throw stoppedError()
      const patience = setTimeout(() => {
        entry.isSlow = true
        done.resolve()
      }, options.startPatienceMs ?? startPatienceMs)
      const process = await begin(id, either).finally(() => {
        clearTimeout(patience)
        entry.isSlow = false
      })
      if (entry.abort.signal.aborted) {
        await process.stop()
        throw stoppedError()
      }
      if (!options.isUrgent(id)) process.lowerPriority()
      entry.process = process
      entry.reason = null
      void process.exited.then((reason) => left(id, entry, process, reason))
      options.onEvent({ id, event: 'wake', reason: null })
      return process
    } finally {
      done.resolve()
    }
  }

  /**
   * Leftover processes started by a site's code must not outlive its main process: they could change its files at any time.
   * `stop` ends the main process and resolves with its id. The next start waits for all of it.
   */
  const clear = (id: string, stop: () => Promise<number | null>): Promise<void> => {
    const before = clearing.get(id)?.catch(() => undefined)
    const work = (async () => {
      await before
      await options.endLeftovers(id, await stop())
    })()
    clearing.set(id, work)
    work.then(
      () => {
        if (clearing.get(id) === work) clearing.delete(id)
      },
      (error: unknown) => options.log.error('Processes of a site could not be ended', { site: id, error }),
    )
    return work
  }

  const left = (id: string, entry: Entry, process: SiteProcess, reason: LocalizedMessage | null): void => {
    if (entry.process !== process) return
    entry.process = null
    // The next start waits for it, and reports a failure.
    clear(id, () => Promise.resolve(process.pid)).catch(() => undefined)
    if (reason !== null) {
      crashed(id, entry, reason)
      return
    }
    // A start is as expensive as many pages, and visitors can request the page that breaks PHP again and again.
    const now = options.now()
    entry.breaks = [...entry.breaks.filter((at) => now - at < forgiveMs), now]
    if (entry.breaks.length > mostBreaks)
      crashed(
        id,
        entry,
        msg`PHP broke off in the middle of a page again and again. The error log of the site says where.`,
      )
    else options.onEvent({ id, event: 'sleep', reason: null })
  }

  const crashed = (id: string, entry: Entry, reason: LocalizedMessage, error?: unknown): void => {
    const now = options.now()
    entry.crashes = [...entry.crashes.filter((at) => now - at < forgiveMs), now]
    entry.reason = reason
    const pause = backOffMs[entry.crashes.length - 1]
    entry.blockedUntil = now + (pause ?? parkedMs)
    options.log.warn('A site’s process ended', { site: id, reason: reason.text, crashes: entry.crashes.length, error })
    options.onEvent({ id, event: 'crash', reason })
    if (pause === undefined || stopped) return
    entry.restart = setTimeout(() => {
      entry.restart = null
      // Its failure is recorded like any crash; nobody waits for this start.
      if (entries.get(id) === entry && !stopped) wakeUnnoticed(id).catch(() => undefined)
    }, pause)
    entry.restart.unref()
  }

  const wake = (id: string, signal?: AbortSignal): Promise<SiteProcess> => {
    entryOf(id).lastUsed = options.now()
    return wakeUnnoticed(id, signal)
  }

  const wakeUnnoticed = async (id: string, signal?: AbortSignal): Promise<SiteProcess> => {
    if (stopped) throw stoppedError()
    options.assertMayRun(id)
    const entry = entryOf(id)
    if (entry.process !== null) return entry.process
    if (entry.starting !== null) return entry.starting
    const wait = entry.blockedUntil - options.now()
    if (entry.reason !== null && wait > 50) {
      throw new EngineError('unavailable', msg`${entry.reason} It is started again in ${Math.ceil(wait / 1000)} s.`, {
        retryable: true,
        nextAction: msg`Wait a moment; if it keeps happening, look at the error log of the site.`,
      })
    }
    entry.starting = start(id, entry, signal)
    try {
      return await entry.starting
    } catch (error) {
      if (signal?.aborted !== true && !entry.abort.signal.aborted)
        crashed(id, entry, error instanceof EngineError ? error.localized : msg`The site could not be started.`, error)
      throw error
    } finally {
      entry.starting = null
    }
  }

  const sleep = async (id: string): Promise<void> => {
    const entry = entries.get(id)
    entries.delete(id)
    if (entry?.restart) clearTimeout(entry.restart)
    entry?.abort.abort(stoppedError())
    const process = entry?.process ?? null
    await clear(id, async () => {
      // It fails because of this abort; the caller of the start gets the error.
      await entry?.starting?.catch(() => undefined)
      if (entry !== undefined) entry.process = null
      await process?.stop()
      return process?.pid ?? null
    })
    if (process !== null) options.onEvent({ id, event: 'sleep', reason: null })
  }

  const watch = setInterval(() => {
    for (const [id, entry] of entries) {
      const { process } = entry
      if (process === null) continue
      const since = process.oldestRun()
      if (since !== null && performance.now() - since > options.requestDeadlineMs) {
        process.kill(
          msg`A request ran for more than ${Math.round(options.requestDeadlineMs / 1000)} seconds, so the site was restarted.`,
        )
        continue
      }
      residentMb(process.pid).then(
        (mb) => {
          if (mb !== null && mb > options.memoryCapMb)
            process.kill(msg`The site used more than ${options.memoryCapMb} MB of memory, so it was restarted.`)
        },
        (error: unknown) => options.log.warn('The memory of a site could not be read', { site: id, error }),
      )
    }
  }, watchEveryMs)
  watch.unref()

  return {
    wake,
    wakeUnnoticed: (id) => wakeUnnoticed(id),
    hold: (id) => {
      const entry = entryOf(id)
      entry.holds += 1
      entry.lastUsed = options.now()
      let released = false
      return () => {
        if (released) return
        released = true
        entry.holds -= 1
        entry.lastUsed = options.now()
      }
    },
    running: (id) => entries.get(id)?.process ?? null,
    crash: (id) => entries.get(id)?.reason ?? null,
    sleep,
    idleSince: (before) =>
      [...entries]
        .filter(([, entry]) => entry.process !== null && entry.holds === 0 && entry.lastUsed < before)
        .map(([id]) => id),
    list: () => [...entries].flatMap(([id, entry]) => (entry.process === null ? [] : [{ id, pid: entry.process.pid }])),
    stopAll: async () => {
      stopped = true
      clearInterval(watch)
      await Promise.all([...entries.keys()].map((id) => sleep(id)))
    },
  }
}
