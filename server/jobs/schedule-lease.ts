import { sql } from 'kysely'
import type { Db } from '#server/contracts/transaction.ts'
import { formatTimestamp, parseTimestamp, type Clock } from './clock.ts'

/** Identifies this worker and all live workers. */
export interface ScheduleWorker {
  readonly worker: number
  liveWorkers(): Promise<ReadonlySet<number>>
}

/** A lease to run scheduled work: either taken by this worker, or not available for some time. */
export type LeaseResult = { readonly taken: true } | { readonly taken: false; readonly waitMs: number }

/** Delay before checking again for work held by another worker, live or dead. */
export const recheckMs = 5000

interface Row {
  last_run: string
  worker: number | null
}

/**
 * Coordinates one piece of scheduled work across all processes of an installation. `easydash_schedule` stores when the last
 * run started and which worker is running it. Missed runs count as one. A run started by a worker that died is repeated
 * immediately.
 */
export function createScheduleLease(
  options: { db: Db; clock: Clock; self: ScheduleWorker },
  work: { readonly name: string; readonly everySeconds: number },
) {
  const { db, clock, self } = options
  const periodMs = work.everySeconds * 1000
  /** A worker that was missing once: it may only have lost its connection for a moment. */
  let suspect: number | null = null

  /** Milliseconds until the lease can be taken; 0 means now. `atOnce`: regardless of the last run. */
  async function waitFor(row: Row | undefined, atOnce: boolean): Promise<number> {
    if (row === undefined) return 0
    const holder = row.worker === self.worker ? null : row.worker
    if (holder !== null) {
      const isAlive = (await self.liveWorkers()).has(holder)
      const isDead = !isAlive && (atOnce || suspect === holder)
      suspect = isAlive ? null : holder
      return isDead ? 0 : recheckMs
    }
    suspect = null
    const waitMs = parseTimestamp(row.last_run) + periodMs - clock.now()
    // A run that lies in the future was one of a clock that was ahead; those of two machines are never quite the same.
    return atOnce || waitMs > 2 * periodMs ? 0 : Math.max(0, waitMs)
  }

  return {
    /** Takes the lease if the work is due and no other worker is running it. */
    async take(atOnce: boolean): Promise<LeaseResult> {
      const found = await sql<Row>`
        select to_char(last_run, 'YYYY-MM-DD HH24:MI:SS.US') as last_run, worker
        from easydash_schedule where name = ${work.name}`.execute(db)
      const row = found.rows[0]
      const waitMs = await waitFor(row, atOnce)
      if (waitMs > 0) return { taken: false, waitMs }
      const now = formatTimestamp(clock.now())
      const { numAffectedRows } = await (
        row === undefined
          ? sql`insert into easydash_schedule (name, last_run, worker) values (${work.name}, ${now}, ${self.worker})
              on conflict (name) do nothing`
          : sql`update easydash_schedule set last_run = ${now}, worker = ${self.worker}
              where name = ${work.name} and last_run = ${row.last_run} and worker is not distinct from ${row.worker}`
      ).execute(db)
      // Another worker was faster.
      return (numAffectedRows ?? 0n) > 0n ? { taken: true } : { taken: false, waitMs: recheckMs }
    },
    /** Releases the lease, whether the work succeeded or failed. */
    async release(): Promise<void> {
      await sql`update easydash_schedule set worker = null where name = ${work.name} and worker = ${self.worker}`.execute(
        db,
      )
    },
  }
}
