import type { Db } from '#server/contracts/transaction.ts'
import type { Log } from '#server/platform/log/log.ts'
import { namedTask, runTask } from '#server/platform/log/loop-watchdog.ts'
import type { Clock } from './clock.ts'
import { lookAgainMs, turnsOf, type ScheduleWorker } from './schedule-turn.ts'

/** A piece of work that repeats, in one process of the installation at a time. */
export interface ScheduledWork {
  /** Unique; includes the machine when each machine has its own, e.g. `sites.reconcile local:x1`. */
  readonly name: string
  /** Seconds between the beginnings of two runs; a tenth of it, a minute at most, comes on top by chance. */
  readonly everySeconds: number
  /** Also runs at each start, whenever it ran last. */
  readonly atStart?: boolean
  run(): Promise<void>
}

/** The schedule of this process. */
export interface Schedule {
  /** Adds a piece of work, which begins at once if the schedule has been started. */
  add(work: ScheduledWork): void
  start(self: ScheduleWorker): void
  /** Begins no more work and waits for what is under way. */
  stop(): Promise<void>
}

/** Share of a period that is added by chance, and its most: not everything is to begin at the same moment. */
const [jitterShare, mostJitterMs] = [0.1, 60_000]
/** Least pause between two runs of work that takes longer than its period. */
const leastPauseMs = 1000

/**
 * Creates an empty schedule. Each piece of work has a timer of its own: it waits for no other, and takes no place of the jobs.
 * A piece that fails is logged and comes again in its next turn.
 */
export function createSchedule(options: { db: Db; clock: Clock; log: Log; random?: () => number }): Schedule {
  const { clock, log, random = Math.random } = options
  const works: ScheduledWork[] = []
  const stops: (() => Promise<void>)[] = []
  let begin: ((work: ScheduledWork) => void) | null = null

  /** Looks for turns of a piece of work until it is stopped. */
  function repeatWork(self: ScheduleWorker, work: ScheduledWork): () => Promise<void> {
    const turns = turnsOf({ ...options, self }, work)
    const periodMs = work.everySeconds * 1000
    const jitter = () => random() * Math.min(periodMs * jitterShare, mostJitterMs)
    let atOnce = work.atStart === true
    let stopped = false
    let timer: unknown = null
    let current: Promise<void> = Promise.resolve()

    /** One look; resolves to the milliseconds until the next. */
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
