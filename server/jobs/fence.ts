import { sql } from 'kysely'
import type { Db, Trx } from '#server/contracts/transaction.ts'
import type { JobStep } from '#shared/doctypes/job.ts'
import { StopError } from './failure.ts'

/** Identifies a run: its attempt, and whether it runs forward or rolls back after a cancel. */
export interface Fence {
  readonly job: string
  readonly attempt: number
  phase: 'forward' | 'cleanup'
}

/** States in which the attempt that holds the job can write. */
const writable = { forward: ['Running', 'Lost Contact'], cleanup: ['Cancelling'] } as const

function throwStopError(fence: Fence, row: { attempt: number; status: string } | undefined): void {
  if (row?.attempt === fence.attempt) {
    if ((writable[fence.phase] as readonly string[]).includes(row.status)) return
    if (fence.phase === 'forward' && row.status === 'Cancelling') throw new StopError('cancel')
  }
  throw new StopError('lost')
}

/** Locks the job's row for this transaction and verifies that this attempt still holds it. Throws StopError. */
export async function assertFence(trx: Trx, fence: Fence): Promise<void> {
  const { rows } = await sql<{ attempt: number; status: string }>`
    select attempt::int as attempt, status from tab_job where name = ${fence.job} for update`.execute(trx)
  throwStopError(fence, rows[0])
}

/**
 * Writes the steps in one statement outside the document store: the intent must be committed before the step runs.
 * Subscribers are notified with the next update, of which there are at most four per second. Throws StopError.
 */
export async function writeSteps(db: Db, fence: Fence, steps: readonly JobStep[], percent: number): Promise<void> {
  const result = await sql`
    update tab_job set steps = ${JSON.stringify(steps)}::jsonb, percent = ${percent}
    where name = ${fence.job} and attempt = ${fence.attempt} and status in (${sql.join([...writable[fence.phase]])})`.execute(
    db,
  )
  if (result.numAffectedRows === 1n) return
  const { rows } = await sql<{ attempt: number; status: string }>`
    select attempt::int as attempt, status from tab_job where name = ${fence.job}`.execute(db)
  throwStopError(fence, rows[0])
}
