import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDocuments, sessionOf, type TestDocuments } from '#tests/support/documents.ts'
import { actorLock, lockRights } from '../store/locks.ts'
import { accessContextIn } from './gate.ts'

let t: TestDocuments
beforeAll(async () => {
  t = await createTestDocuments()
  await t.organization('acme')
})
afterAll(() => t?.close())

test('the statements before each write are planned once per connection, not with each call', async () => {
  const owner = sessionOf('owner@acme.example', 'acme')
  const { rows } = await t.test.database.db.connection().execute(async (db) => {
    for (let round = 0; round < 20; round += 1) {
      await accessContextIn(db, owner, 'acme')
      await db.transaction().execute((trx) => lockRights(trx, 'acme', new Map([actorLock(owner)])))
    }
    return sql<{ custom_plans: number; generic_plans: number }>`select custom_plans, generic_plans
      from pg_prepared_statements where statement like '%tab_organization_member%' and generic_plans + custom_plans >= 20`.execute(
      db,
    )
  })
  // PostgreSQL compares the first five.
  expect(rows).toHaveLength(2)
  for (const { custom_plans } of rows) expect(custom_plans).toBeLessThanOrEqual(5)
})
