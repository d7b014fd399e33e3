import type { ScheduledWork, WorkOnHosts } from '#server/contracts/schedule.ts'
import type { Db } from '#server/contracts/transaction.ts'
import type { Log } from '#server/platform/log/log.ts'
import { namedTask, runTask } from '#server/platform/log/loop-watchdog.ts'
import { repeat, type Clock } from './clock.ts'
import { recheckMs, createScheduleLease, type ScheduleWorker } from './schedule-lease.ts'

/** The schedule of this process. */
export interface Schedule {
  start(self: ScheduleWorker): void
  /** Starts no more work and waits for running work. */
  stop(): Promise<void>
}

/** Jitter as a share of the period, and its maximum, so that not all work starts at the same moment. */
const [jitterShare, maxJitterMs] = [0.1, 60_000]
/** Minimum pause between two runs of work that takes longer than its period. */
const minPauseMs = 1000
/** Machines on which a process does the same piece of work at once, however many are due. */
const hostsAtOnce = 8
/** Time after which machines are listed again. */
const listMs = 15_000

/** Options of `createSchedule`. */
interface ScheduleOptions {
  works: readonly (ScheduledWork | WorkOnHosts)[]
  /** The leases are short statements; a few connections serve all of them. */
  db: Db
  clock: Clock
  log: Log
  /** 0 to 1, for the jitter. */
  random?: () => number
}

/**
 * Creates a schedule. Each piece of work has its own timer, on each machine if it is done on several: it doesn't wait for others
 * or occupy job slots. Failures are logged and the work runs again at its next due time.
 */
export function createSchedule(options: ScheduleOptions): Schedule {
  const { works, clock, log, random = Math.random } = options
  const stops: (() => Promise<void>)[] = []

  /** Runs a piece of work until it is stopped. `slots`: how often it, and others like it, can run at once. */
  function repeatWork(
    self: ScheduleWorker,
    work: ScheduledWork,
    slots: { free: number } = { free: Infinity },
  ): () => Promise<void> {
    const lease = createScheduleLease({ ...options, self }, work)
    const periodMs = work.everySeconds * 1000
    const jitter = () => random() * Math.min(periodMs * jitterShare, maxJitterMs)
    let atOnce = work.atStart === true
    let stopped = false
    let timer: unknown = null
    let current: Promise<void> = Promise.resolve()

    /** One check; resolves to the milliseconds until the next. */
    async function look(): Promise<number> {
      if (slots.free === 0) return minPauseMs + jitter()
      slots.free -= 1
      try {
        const result = await lease.take(atOnce)
        if (!result.taken) return result.waitMs + jitter()
        atOnce = false
        const began = clock.now()
        await runTask(namedTask(`schedule ${work.name}`), async () => work.run())
          .catch((error: unknown) => log.warn('Scheduled work failed', { work: work.name, error }))
          .then(() => lease.release())
        return Math.max(minPauseMs, began + periodMs - clock.now() + jitter())
      } finally {
        slots.free += 1
      }
    }
    const go = () => {
      current = look()
        .catch((error: unknown) => {
          log.warn('Scheduled work could not be looked for', { work: work.name, error })
          return recheckMs
        })
        .then((pauseMs) => {
          if (!stopped) timer = clock.setTimeout(go, pauseMs)
        })
    }
    go()
    return async () => {
      stopped = true
      clock.clearTimeout(timer)
      await current
    }
  }

  /** Repeats work on each of its machines, as they come and go. */
  function repeatOnHosts(self: ScheduleWorker, work: WorkOnHosts): () => Promise<void> {
    const slots = { free: hostsAtOnce }
    const hosts = new Map<string, () => Promise<void>>()
    let runs: Awaited<ReturnType<WorkOnHosts['hosts']>> = new Map()
    const list = async (): Promise<void> => {
      runs = await work.hosts()
      for (const host of runs.keys()) {
        const own = { ...work, name: `${work.name} ${host}`, run: async () => runs.get(host)?.() }
        if (!hosts.has(host)) hosts.set(host, repeatWork(self, own, slots))
      }
      for (const [host, stop] of hosts) {
        if (runs.has(host)) continue
        await stop()
        hosts.delete(host)
      }
    }
    const listing = repeat(clock, listMs, () =>
      list().catch((error: unknown) => log.warn('Machines could not be listed', { work: work.name, error })),
    )
    listing.soon()
    return async () => {
      await listing.stop()
      await Promise.all([...hosts.values()].map((stop) => stop()))
    }
  }

  return {
    start(self) {
      for (const work of works) stops.push('hosts' in work ? repeatOnHosts(self, work) : repeatWork(self, work))
    },
    async stop() {
      await Promise.all(stops.map((stop) => stop()))
    },
  }
}
