import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Db } from '#server/contracts/transaction.ts'
import { createTestDocuments, type TestDocuments } from '#tests/support/documents.ts'
import { deleteOldEvents, deleteOldLogs, readLines } from './log-store.ts'
import { jobTables } from '../tables.ts'

let t: TestDocuments
let db: Db
beforeAll(async () => {
  t = await createTestDocuments({})
  db = t.test.database.db
  await jobTables(db)
})
afterAll(() => t?.close())

/** Ended jobs with one log line each, oldest first. */
async function endedJobs(prefix: string, count: number, firstDay: string): Promise<string[]> {
  const names = Array.from({ length: count }, (_, n) => `${prefix}${n}`)
  await sql`insert into tab_job (name, owner, creation, modified, modified_by, organization, job_type, ended, log_lines)
    select name, 'System', now(), now(), 'System', 'acme', 'test', cast(${firstDay} as timestamp) + n * interval '1 second', 1
    from unnest(${names}::text[]) with ordinality as j (name, n)`.execute(db)
  await sql`insert into easydash_job_log (job, n, at, text) select name, 1, now(), 'one' from unnest(${names}::text[]) as j (name)`.execute(
    db,
  )
  return names
}

test('old logs go however many there are, again and again; younger ones stay', async () => {
  const [old = ''] = await endedJobs('old', 1200, '2026-01-01')
  const [young = ''] = await endedJobs('young', 1, '2026-06-01')
  expect(await deleteOldLogs(db, '2026-03-01 00:00:00')).toBe(1200)
  expect((await readLines(db, old, 0)).lines).toEqual([])
  expect((await readLines(db, young, 0)).lines).toHaveLength(1)
  // Jobs whose lines are already deleted must not block those that still have some.
  await endedJobs('later', 3, '2026-02-01')
  expect(await deleteOldLogs(db, '2026-03-01 00:00:00')).toBe(3)
})

test('logs of jobs deleted with their organization are deleted', async () => {
  const [deletedJob = ''] = await endedJobs('gone', 1, '2026-06-01')
  await sql`insert into easydash_job_run (job, queue, queue_id) values (${deletedJob}, 'q', gen_random_uuid())`.execute(
    db,
  )
  await sql`delete from tab_job where name = ${deletedJob}`.execute(db)
  expect(await deleteOldLogs(db, '2026-03-01 00:00:00')).toBe(1)
  expect((await sql`select 1 from easydash_job_run where job = ${deletedJob}`.execute(db)).rows).toEqual([])
})

test('events are kept for steps that are about to wait for them, and then deleted', async () => {
  await sql`insert into easydash_job_event (event, at) values ('old', '2026-01-01'), ('young', '2026-06-01')`.execute(
    db,
  )
  await deleteOldEvents(db, '2026-03-01 00:00:00')
  expect((await sql`select event from easydash_job_event`.execute(db)).rows).toEqual([{ event: 'young' }])
})
