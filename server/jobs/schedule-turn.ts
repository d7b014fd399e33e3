import { sql } from 'kysely'
import type { Db } from '#server/contracts/transaction.ts'
import { stamp, unstamp, type Clock } from './clock.ts'

/** Who takes turns: this worker's number, and those of all workers that live now. */
export interface ScheduleWorker {
  readonly worker: number
  liveWorkers(): Promise<ReadonlySet<number>>
}

/** A turn of a piece of work: it is this worker's, or nobody's before some time has passed. */
export type Turn = { readonly taken: true } | { readonly taken: false; readonly waitMs: number }

/** How soon one looks again for work that another worker is doing, or was doing when it vanished. */
export const lookAgainMs = 5000

interface Row {
  last_run: string
  worker: number | null
}

/**
 * The turns of one piece of work, shared by all processes of an installation: `easydash_schedule` says when the last one began,
 * and which worker is at it. Turns that were missed count as one. One that a vanished worker began is taken again at once.
 */
export function turnsOf(
  options: { db: Db; clock: Clock; self: ScheduleWorker },
  work: { readonly name: string; readonly everySeconds: number },
) {
  const { db, clock, self } = options
  const periodMs = work.everySeconds * 1000
  /** A worker that was seen gone once: its connection may only have been lost for a moment. */
  let suspect: number | null = null

  /** Milliseconds until the turn may be taken; 0 now. `atOnce`: whenever the last one was. */
  async function waitFor(row: Row | undefined, atOnce: boolean): Promise<number> {
    if (row === undefined) return 0
    const holder = row.worker === self.worker ? null : row.worker
    if (holder !== null) {
      const lives = (await self.liveWorkers()).has(holder)
      const isGone = !lives && (atOnce || suspect === holder)
      suspect = lives ? null : holder
      return isGone ? 0 : lookAgainMs
    }
    suspect = null
    return atOnce ? 0 : Math.max(0, unstamp(row.last_run) + periodMs - clock.now())
  }

  return {
    /** Takes the turn if it is due and nobody is at it. */
    async take(atOnce: boolean): Promise<Turn> {
      const found = await sql<Row>`
        select to_char(last_run, 'YYYY-MM-DD HH24:MI:SS.US') as last_run, worker
        from easydash_schedule where name = ${work.name}`.execute(db)
      const row = found.rows[0]
      const waitMs = await waitFor(row, atOnce)
      if (waitMs > 0) return { taken: false, waitMs }
      const now = stamp(clock.now())
      const { numAffectedRows } = await (
        row === undefined
          ? sql`insert into easydash_schedule (name, last_run, worker) values (${work.name}, ${now}, ${self.worker})
              on conflict (name) do nothing`
          : sql`update easydash_schedule set last_run = ${now}, worker = ${self.worker}
              where name = ${work.name} and last_run = ${row.last_run} and worker is not distinct from ${row.worker}`
      ).execute(db)
      // Somebody else was faster.
      return (numAffectedRows ?? 0n) > 0n ? { taken: true } : { taken: false, waitMs: lookAgainMs }
    },
    /** Ends the turn, however it went. */
    async end(): Promise<void> {
      await sql`update easydash_schedule set worker = null where name = ${work.name} and worker = ${self.worker}`.execute(
        db,
      )
    },
  }
}
