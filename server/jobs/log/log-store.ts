import { sql } from 'kysely'
import type { Sweep } from '#server/contracts/schedule.ts'
import type { LogLine } from '#shared/responses/job-log.ts'
import type { Db, Trx } from '#server/contracts/transaction.ts'
import { formatTimestamp, systemClock } from '../clock.ts'

/** Maximum number of lines per read. */
const pageSize = 1000

/** Number of jobs whose lines are deleted per statement. */
const jobsAtOnce = 500

/** Appends lines in the caller's transaction. */
export async function appendLines(trx: Trx, job: string, lines: readonly LogLine[]): Promise<void> {
  if (lines.length === 0) return
  await sql`
    insert into easydash_job_log (job, n, at, text)
    select ${job}, line.n, line.at, line.text
    from jsonb_to_recordset(${JSON.stringify(lines)}::jsonb) as line (n integer, at timestamp(6), text text)`.execute(
    trx,
  )
}

/** Number of the last line, and the bytes stored so far. */
export async function logEnd(db: Db, job: string): Promise<{ n: number; bytes: number }> {
  const { rows } = await sql<{ n: number; bytes: number }>`
    select coalesce(max(n), 0)::int as n, coalesce(sum(octet_length(text)), 0)::int as bytes
    from easydash_job_log where job = ${job}`.execute(db)
  return rows[0] ?? { n: 0, bytes: 0 }
}

/** Lines after `cursor` (0 = from the start), at most 1,000; `more` is true if others follow. */
export async function readLines(db: Db, job: string, cursor: number): Promise<{ lines: LogLine[]; more: boolean }> {
  const { rows } = await sql<LogLine>`
    select n, at, text from easydash_job_log
    where job = ${job} and n > ${cursor} order by n limit ${pageSize + 1}`.execute(db)
  return { lines: rows.slice(0, pageSize), more: rows.length > pageSize }
}

/** Retention of the logs of ended jobs, in days. */
const logDays = 90

/** Deletes old logs, and events that no step can have missed any more, once a day. */
export function oldLogSweep(db: Db): Sweep {
  return {
    name: 'jobs.drop_old_logs',
    everySeconds: 86_400,
    run: async () => {
      await deleteOldEvents(db, formatTimestamp(systemClock.now() - 86_400_000))
      return deleteOldLogs(db, formatTimestamp(systemClock.now() - logDays * 86_400_000))
    },
  }
}

/** Deletes the events that arrived before the given time. */
export async function deleteOldEvents(db: Db, before: string): Promise<void> {
  await sql`delete from easydash_job_event where at < ${before}`.execute(db)
}

/**
 * Deletes the logs of jobs that ended before the given time, and leftovers of jobs that were deleted with their
 * organization. Returns the number of deleted lines.
 */
export async function deleteOldLogs(db: Db, before: string): Promise<number> {
  await sql`delete from easydash_job_run r where not exists (select 1 from tab_job j where j.name = r.job)`.execute(db)
  for (let dropped = 0; ;) {
    // In batches, because statements time out after a few seconds. The remaining lines determine what is left to delete.
    const result = await sql`
      delete from easydash_job_log where job in (
        select l.job from (select distinct job from easydash_job_log) l left join tab_job j on j.name = l.job
        where j.name is null or j.ended < ${before} order by j.ended limit ${jobsAtOnce})`.execute(db)
    const count = Number(result.numAffectedRows ?? 0)
    if (count === 0) return dropped
    dropped += count
  }
}
