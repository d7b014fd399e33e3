/** Writes whose database connection breaks, as when PostgreSQL is killed and restarted. */
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { systemErrorCode } from '#server/platform/processes/startup-error.ts'
import { errorResponse } from '#server/wire/response/error-response.ts'
import { createTestDocuments, sessionOf, type TestDocuments } from '#tests/support/documents.ts'
import { GadgetDoctype } from '#tests/support/gadget.ts'

let t: TestDocuments
const owner = sessionOf('owner@acme.example', 'acme')
/** How many of the next writes lose their connection, and what happened to all of them. */
let losses = 0
let attempts = 0

beforeAll(async () => {
  t = await createTestDocuments({
    extra: [GadgetDoctype],
    controllers: [
      {
        doctype: 'Gadget',
        async after_insert(_doc, { tx }) {
          attempts += 1
          if (losses-- > 0) await sql`select pg_terminate_backend(pg_backend_pid())`.execute(tx.trx)
        },
      },
    ],
  })
  await t.organization('acme')
})
afterAll(() => t?.close())
beforeEach(() => {
  attempts = 0
})

const labels = async () => {
  const rows = await t.documents.list(owner, 'Gadget', { fields: ['label'], limit: 0 })
  return rows.map(({ label }) => label)
}

test('a write that loses its connection before the commit is done again, once', async () => {
  losses = 2
  await t.documents.insert(owner, 'Gadget', { label: 'Lamp' })
  expect(attempts).toBe(3)
  expect(await labels()).toEqual(['Lamp'])
})

test('while the database stays away, the caller is told to come back', async () => {
  losses = 99
  const error = await t.documents.insert(owner, 'Gadget', { label: 'Chair' }).catch((caught: unknown) => caught)
  losses = 0
  // The error of the statement, not of the rollback that had no connection either.
  expect(systemErrorCode(error)).toMatch(/^(?:57P01|08006)$/)
  const response = errorResponse(error, { requestId: 'r', aboutDocument: false, login: false, sessionExpired: false })
  expect(response).toMatchObject({ status: 503, headers: { 'retry-after': '2' }, defect: false })
  expect(await labels()).toEqual(['Lamp'])
})

test('a commit that loses its connection is not repeated: it may have been stored', async () => {
  await sql`create or replace function end_at_commit() returns trigger language plpgsql as
    $$ begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$`.execute(t.test.database.db)
  await sql`create constraint trigger end_at_commit after insert on tab_gadget deferrable initially deferred
    for each row when (new.label = 'Table') execute function end_at_commit()`.execute(t.test.database.db)
  const error = await t.documents.insert(owner, 'Gadget', { label: 'Table' }).catch((caught: unknown) => caught)
  expect(systemErrorCode(error)).toMatch(/^(?:57P01|08006)$/)
  expect(attempts).toBe(1)
})
