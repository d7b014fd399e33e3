import { sql } from 'kysely'
import type { Db } from '#server/documents/types.ts'
import type { Log } from '#server/platform/log.ts'
import { namedTask, runTask } from '#server/platform/loop-watchdog.ts'
import { repeat, stamp, type Clock, type Repeated } from './clock.ts'

/** A piece of work that repeats, in one process of the installation at a time. */
export interface ScheduledWork {
  /** Unique; includes the machine when each machine has its own, e.g. `sites.reconcile local:x1`. */
  readonly name: string
  readonly everySeconds: number
  /** Also runs at each start, whenever it ran last. */
  readonly atStart?: boolean
  run(): Promise<void>
}

/** The schedule of this process. */
export interface Schedule {
  add(work: ScheduledWork): void
  start(): void
  stop(): Promise<void>
}

/** How often the due work is looked for. */
const tickMs = 5000

/** Creates an empty schedule. A piece of work that fails is logged and comes again in its next turn. */
export function createSchedule(options: { db: Db; clock: Clock; log: Log }): Schedule {
  const { db, clock, log } = options
  const works: ScheduledWork[] = []
  const lastHere = new Map<string, number>()
  let ticking: Repeated | null = null

  /** True for the one process that may do it now: the row says when somebody did it last. */
  async function take(work: ScheduledWork, always: boolean): Promise<boolean> {
    const now = clock.now()
    const due = stamp(now - work.everySeconds * 1000)
    const result = await sql`
      insert into easydash_schedule (name, last_run) values (${work.name}, ${stamp(now)})
      on conflict (name) do update set last_run = excluded.last_run
      where ${always} or easydash_schedule.last_run <= ${due}`.execute(db)
    return (result.numAffectedRows ?? 0n) > 0n
  }

  async function tick(): Promise<void> {
    for (const work of works) {
      const last = lastHere.get(work.name)
      if (last !== undefined && clock.now() - last < work.everySeconds * 1000) continue
      try {
        if (!(await take(work, last === undefined && work.atStart === true))) continue
        lastHere.set(work.name, clock.now())
        await runTask(namedTask(`schedule ${work.name}`), () => work.run())
      } catch (error) {
        log.warn('Scheduled work failed', { work: work.name, error })
      }
    }
  }

  return {
    add(work) {
      works.push(work)
    },
    start() {
      ticking ??= repeat(clock, tickMs, tick)
      ticking.soon()
    },
    async stop() {
      await ticking?.stop()
    },
  }
}
