import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts'
import { renameServerColumn } from './rename-server-column.ts'
import { jobTables } from './tables.ts'

let server: TestDatabase
beforeAll(async () => {
  server = await createTestDatabase()
})
afterAll(() => server?.drop())

test('the servers of job runs stored by an earlier release are found in the new column, also after a second run', async () => {
  const { db } = server.database
  await renameServerColumn(db)
  await sql`create table easydash_job_run (
    job text primary key, queue text not null, queue_id uuid not null, worker integer, machine text)`.execute(db)
  await sql`insert into easydash_job_run values ('a', 'q', gen_random_uuid(), null, 'server1')`.execute(db)
  await renameServerColumn(db)
  await renameServerColumn(db)
  await db.transaction().execute(jobTables)
  const { rows } = await sql`select job, server from easydash_job_run`.execute(db)
  expect(rows).toEqual([{ job: 'a', server: 'server1' }])
})
