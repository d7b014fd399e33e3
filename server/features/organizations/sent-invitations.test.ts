import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts'
import { renameSentInvitations } from './sent-invitations.ts'

let server: TestDatabase
beforeAll(async () => {
  server = await createTestDatabase()
})
afterAll(() => server?.drop())

test('invitations of an earlier release keep when their links were created and emailed, also after a second run', async () => {
  const { db } = server.database
  await renameSentInvitations(db)
  await sql`create table tab_member_invite (name text primary key, sent timestamp, mailed timestamp)`.execute(db)
  await sql`insert into tab_member_invite values ('a', '2026-01-01', null), ('b', '2026-01-01', '2026-01-02')`.execute(
    db,
  )
  await renameSentInvitations(db)
  await renameSentInvitations(db)
  const { rows } = await sql`
    select name, link_created::date::text as created, sent::date::text as sent from tab_member_invite order by name`.execute(
    db,
  )
  expect(rows).toEqual([
    { name: 'a', created: '2026-01-01', sent: null },
    { name: 'b', created: '2026-01-01', sent: '2026-01-02' },
  ])
})
