import type { ScheduledWork } from '#server/contracts/schedule.ts'
import type { Db } from '#server/contracts/transaction.ts'
import type { Log } from '#server/platform/log/log.ts'
import { namedTask, runTask } from '#server/platform/log/loop-watchdog.ts'
import type { Clock } from './clock.ts'
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

/** Options of `createSchedule`. */
interface ScheduleOptions {
  works: readonly ScheduledWork[]
  /** The leases are short statements; a few connections serve all of them. */
  db: Db
  clock: Clock
  log: Log
  /** 0 to 1, for the jitter. */
  random?: () => number
}

/**
 * Creates a schedule. Each piece of work has its own timer: it doesn't wait for others or occupy job slots. Failures are
 * logged and the work runs again at its next due time.
 */
export function createSchedule(options: ScheduleOptions): Schedule {
  const { works, clock, log, random = Math.random } = options
  const stops: (() => Promise<void>)[] = []

  /** Runs a piece of work until it is stopped. */
  function repeatWork(self: ScheduleWorker, work: ScheduledWork): () => Promise<void> {
    const lease = createScheduleLease({ ...options, self }, work)
    const periodMs = work.everySeconds * 1000
    const jitter = () => random() * Math.min(periodMs * jitterShare, maxJitterMs)
    let atOnce = work.atStart === true
    let stopped = false
    let timer: unknown = null
    let current: Promise<void> = Promise.resolve()

    /** One check; resolves to the milliseconds until the next. */
    async function look(): Promise<number> {
      const result = await lease.take(atOnce)
      if (!result.taken) return result.waitMs + jitter()
      atOnce = false
      const began = clock.now()
      try {
        await runTask(namedTask(`schedule ${work.name}`), () => work.run())
      } catch (error) {
        log.warn('Scheduled work failed', { work: work.name, error })
      } finally {
        await lease.release()
      }
      return Math.max(minPauseMs, began + periodMs - clock.now() + jitter())
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

  return {
    start(self) {
      for (const work of works) stops.push(repeatWork(self, work))
    },
    async stop() {
      await Promise.all(stops.map((stop) => stop()))
    },
  }
}
