import type { Db } from '#server/contracts/transaction.ts'
import type { Log } from '#server/platform/log/log.ts'
import { namedTask, runTask } from '#server/platform/log/loop-watchdog.ts'
import type { Clock } from './clock.ts'
import { lookAgainMs, turnsOf, type ScheduleWorker } from './schedule-turn.ts'

/** A repeating piece of work that runs in one process of the installation at a time. */
export interface ScheduledWork {
  /** Unique; includes the machine if each machine has its own, for example `sites.reconcile local:x1`. */
  readonly name: string
  /** Seconds between the starts of two runs, plus random jitter of up to a tenth of it (at most a minute). */
  readonly everySeconds: number
  /** Also run at each startup, regardless of the last run. */
  readonly atStart?: boolean
  run(): Promise<void>
}

/** The schedule of this process. */
export interface Schedule {
  /** Adds a piece of work; it starts immediately if the schedule is running. */
  add(work: ScheduledWork): void
  start(self: ScheduleWorker): void
  /** Starts no more work and waits for running work. */
  stop(): Promise<void>
}

/** Jitter as a share of the period, and its maximum, so that not all work starts at the same moment. */
const [jitterShare, mostJitterMs] = [0.1, 60_000]
/** Minimum pause between two runs of work that takes longer than its period. */
const leastPauseMs = 1000

/**
 * Creates an empty schedule. Each piece of work has its own timer: it doesn't wait for others or occupy job slots. Failures
 * are logged and the work runs again at its next turn.
 */
export function createSchedule(options: { db: Db; clock: Clock; log: Log; random?: () => number }): Schedule {
  const { clock, log, random = Math.random } = options
  const works: ScheduledWork[] = []
  const stops: (() => Promise<void>)[] = []
  let begin: ((work: ScheduledWork) => void) | null = null

  /** Takes turns for a piece of work until it is stopped. */
  function repeatWork(self: ScheduleWorker, work: ScheduledWork): () => Promise<void> {
    const turns = turnsOf({ ...options, self }, work)
    const periodMs = work.everySeconds * 1000
    const jitter = () => random() * Math.min(periodMs * jitterShare, mostJitterMs)
    let atOnce = work.atStart === true
    let stopped = false
    let timer: unknown = null
    let current: Promise<void> = Promise.resolve()

    /** One check; resolves to the milliseconds until the next. */
    async function look(): Promise<number> {
      const turn = await turns.take(atOnce)
      if (!turn.taken) return turn.waitMs + jitter()
      atOnce = false
      const began = clock.now()
      try {
        await runTask(namedTask(`schedule ${work.name}`), () => work.run())
      } catch (error) {
        log.warn('Scheduled work failed', { work: work.name, error })
      } finally {
        await turns.end()
      }
      return Math.max(leastPauseMs, began + periodMs - clock.now() + jitter())
    }
    const go = () => {
      current = look()
        .catch((error: unknown) => {
          log.warn('Scheduled work could not be looked for', { work: work.name, error })
          return lookAgainMs
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
    add(work) {
      works.push(work)
      begin?.(work)
    },
    start(self) {
      if (begin !== null) return
      begin = (work) => void stops.push(repeatWork(self, work))
      works.forEach(begin)
    },
    async stop() {
      await Promise.all(stops.map((stop) => stop()))
    },
  }
}
