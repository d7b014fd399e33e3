import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts'
import { renameMessageColumns } from './message-columns.ts'

let server: TestDatabase
beforeAll(async () => {
  server = await createTestDatabase()
})
afterAll(() => server?.drop())

test('descriptors stored by an earlier release are found under the new names, also after a second run', async () => {
  const { db } = server.database
  await sql`create table tab_note (name text, outcome_parts jsonb, parts text)`.execute(db)
  await sql`create table other (outcome_parts jsonb)`.execute(db)
  await sql`insert into tab_note values ('a', '{"id": "Done."}', 'x')`.execute(db)
  await renameMessageColumns(db)
  await renameMessageColumns(db)
  const { rows } = await sql`select * from tab_note`.execute(db)
  expect(rows).toEqual([{ name: 'a', outcome_i18n: { id: 'Done.' }, parts: 'x' }])
  await sql`select outcome_parts from other`.execute(db)
})
