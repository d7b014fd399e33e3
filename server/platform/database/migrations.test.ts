import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts'
import type { Db } from './database.ts'
import { runMigrations, schemaIsCurrent } from './migrations.ts'

let server: TestDatabase
beforeEach(async () => {
  server = await createTestDatabase()
})
afterEach(() => server.drop())

const additive = async (trx: Db) => void (await sql`create table if not exists site (name text)`.execute(trx))
const tables = async () =>
  (
    await server.database.pool.query<{ tablename: string }>(
      'select tablename from pg_tables where schemaname = current_schema()',
    )
  ).rows.map((row) => row.tablename)

test('a database gets the state of this release, also after a second run', async () => {
  expect(await schemaIsCurrent(server.database.db, 3)).toBe(false)
  await runMigrations(server.database, { additive, schemaVersion: 3 })
  await runMigrations(server.database, { additive, schemaVersion: 3 })
  expect(await tables()).toContain('site')
  expect(await schemaIsCurrent(server.database.db, 3)).toBe(true)
})

test('a failure leaves nothing half done, and its reason is that of the database', async () => {
  const broken = async (trx: Db) => {
    await additive(trx)
    await sql`alter table nowhere add column x text`.execute(trx)
  }
  await expect(runMigrations(server.database, { additive: broken, schemaVersion: 1 })).rejects.toMatchObject({
    code: '42P01',
  })
  expect(await tables()).toEqual([])
  await runMigrations(server.database, { additive, schemaVersion: 1 })
  expect(await schemaIsCurrent(server.database.db, 1)).toBe(true)
})

test('a database of a newer release is refused and not touched', async () => {
  await runMigrations(server.database, { additive: () => Promise.resolve(), schemaVersion: 9 })
  const older = runMigrations(server.database, { additive, schemaVersion: 8 })
  await expect(older).rejects.toMatchObject({
    name: 'StartupError',
    message: 'The database was used by a newer Easydash (schema 9); this one knows schema 8 at most.',
  })
  expect(await tables()).not.toContain('site')
  expect(await schemaIsCurrent(server.database.db, 8)).toBe(false)
})

test('several processes migrate one after the other', async () => {
  let inside = 0
  let most = 0
  const plan = {
    schemaVersion: 2,
    additive: async (trx: Db) => {
      inside += 1
      most = Math.max(most, inside)
      await sql`select 1`.execute(trx)
      inside -= 1
    },
  }
  await Promise.all([1, 2, 3, 4].map(() => runMigrations(server.database, plan)))
  expect(most).toBe(1)
})
