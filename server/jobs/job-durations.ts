import { sql } from 'kysely'
import type { Db } from '#server/contracts/transaction.ts'

/** Number of earlier jobs used to estimate the duration. */
const sampleSize = 20

/** Seconds that the latest finished jobs of each type took, oldest first. */
export type JobDurations = Map<string, number[]>

/** Reads the durations of the given job types from the database. */
export async function loadDurations(durations: JobDurations, db: Db, types: readonly string[]): Promise<void> {
  const { rows } = await sql<{ type: string; seconds: number[] }>`
    select d.type, array(
      select extract(epoch from ended - started)::float8 from tab_job
      where job_type = d.type and status = 'Done' and started is not null order by ended desc limit ${sampleSize}) as seconds
    from unnest(${types}::text[]) as d (type)`.execute(db)
  for (const { type, seconds } of rows) durations.set(type, seconds.toReversed())
}

/** Adds the duration of a job that has just finished. */
export function recordDuration(durations: JobDurations, type: string, seconds: number): void {
  durations.set(type, [...(durations.get(type) ?? []), seconds].slice(-sampleSize))
}

/** Typical duration of a job type in seconds (the median); null without history. */
export function medianSeconds(durations: JobDurations, type: string): number | null {
  const sorted = (durations.get(type) ?? []).toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? null
}
