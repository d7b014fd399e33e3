import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDocuments, sessionOf, type TestDocuments } from '../tests/support/documents.ts'
import { verifyAudit } from './cli-audit.ts'
import { activityHash } from './documents/activity-log.ts'

let t: TestDocuments
beforeAll(async () => {
  t = await createTestDocuments({})
  await t.organization('acme')
  const owner = sessionOf('owner@acme.example', 'acme')
  for (const title of ['One', 'Two', 'Three']) await t.documents.save(owner, 'Organization', 'acme', { title })
}, 60_000)
afterAll(() => t?.close())

const chainOf = async () => {
  const { intact, lines } = await verifyAudit(t.test.database.db)
  return { intact, line: lines.find((line) => line.includes('acme')) }
}

test('a log nobody touched fits; a changed entry is found and named', async () => {
  expect(await chainOf()).toMatchObject({
    intact: true,
    line: expect.stringMatching(/^✓ acme: \d+ of \d+ entries fit$/),
  })
  const { db } = t.test.database
  const { rows } = await sql<{ name: string }>`select name from tab_activity where organization = 'acme'
    and after ->> 'title' = 'Two'`.execute(db)
  const name = rows[0]?.name as string
  await sql`alter table tab_activity disable trigger user`.execute(db)
  await sql`update tab_activity set after = '{"title":"Other"}' where name = ${name}`.execute(db)
  expect(await chainOf()).toMatchObject({ intact: false, line: expect.stringContaining(`entry ${name} `) })
  await sql`update tab_activity set after = '{"title":"Two"}' where name = ${name}`.execute(db)
  expect(await chainOf()).toMatchObject({ intact: true })
  await sql`delete from tab_activity where name = ${name}`.execute(db)
  expect(await chainOf()).toMatchObject({ intact: false, line: expect.stringContaining('entries are missing') })
})

test('a field that the description gains later leaves old hashes as they are', () => {
  const entry = { name: 'a', actor: 'ann@example.com', job: null, previous_hash: '' }
  expect(activityHash({ ...entry, new_field: null })).toBe(activityHash(entry))
  expect(activityHash({ ...entry, new_field: 'x' })).not.toBe(activityHash(entry))
})
