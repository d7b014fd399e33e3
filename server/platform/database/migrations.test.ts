import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts'
import type { Db } from './database.ts'
import { appliedMigrations, runMigrations, schemaIsCurrent, type Migration } from './migrations.ts'

let server: TestDatabase
beforeEach(async () => {
  server = await createTestDatabase()
})
afterEach(() => server.drop())

const additive = async (trx: Db) => void (await sql`create table if not exists site (name text)`.execute(trx))
const migration = (id: string, run: (trx: Db) => Promise<unknown>): Migration => ({
  id,
  run: async (trx) => void (await run(trx)),
})
const rename = migration('0001-rename', (trx) => sql`alter table site rename column name to title`.execute(trx))
const columns = async () =>
  (
    await server.database.pool.query<{ column_name: string }>(
      "select column_name from information_schema.columns where table_name = 'site'",
    )
  ).rows.map((row) => row.column_name)

test("a new database gets today's state and counts written migrations as done", async () => {
  expect(await schemaIsCurrent(server.database.db, 3)).toBe(false)
  const plan = {
    written: [migration('0001-never', () => Promise.reject(new Error('must not run')))],
    additive,
    schemaVersion: 3,
  }
  await runMigrations(server.database, plan)
  await runMigrations(server.database, plan)
  expect(await columns()).toEqual(['name'])
  expect(await schemaIsCurrent(server.database.db, 3)).toBe(true)
})

test('an older database gets the written migrations it lacks, once and before the additive part', async () => {
  await runMigrations(server.database, { written: [], additive, schemaVersion: 1 })
  const addTitleIndex = async (trx: Db) =>
    void (await sql`create index if not exists site_title on site (title)`.execute(trx))
  const plan = { written: [rename], additive: addTitleIndex, schemaVersion: 2 }
  await runMigrations(server.database, plan)
  await runMigrations(server.database, plan)
  expect(await columns()).toEqual(['title'])
})

test('a failed migration leaves nothing half done and runs again', async () => {
  await runMigrations(server.database, { written: [], additive, schemaVersion: 1 })
  const broken = migration('0002-broken', async (trx) => {
    await sql`alter table site add column half text`.execute(trx)
    throw new Error('power cut')
  })
  await expect(
    runMigrations(server.database, { written: [rename, broken], additive: () => Promise.resolve(), schemaVersion: 2 }),
  ).rejects.toThrow('power cut')
  expect(await columns()).toEqual(['title'])
  expect(await schemaIsCurrent(server.database.db, 2)).toBe(false)
  const repaired = migration('0002-broken', (trx) => sql`alter table site add column whole text`.execute(trx))
  await runMigrations(server.database, {
    written: [rename, repaired],
    additive: () => Promise.resolve(),
    schemaVersion: 2,
  })
  expect(await columns()).toEqual(['title', 'whole'])
})

test('a database of a newer release is refused and not touched', async () => {
  await runMigrations(server.database, { written: [], additive: () => Promise.resolve(), schemaVersion: 9 })
  const older = runMigrations(server.database, { written: [], additive, schemaVersion: 8 })
  await expect(older).rejects.toMatchObject({
    name: 'StartupError',
    message: 'The database was used by a newer Easydash (schema 9); this one knows schema 8 at most.',
  })
  expect(await columns()).toEqual([])
  expect(await schemaIsCurrent(server.database.db, 8)).toBe(false)
})

test('several processes migrate one after the other', async () => {
  await runMigrations(server.database, { written: [], additive, schemaVersion: 1 })
  let inside = 0
  let most = 0
  let runs = 0
  const once = migration('0001-once', async (trx) => {
    runs += 1
    await sql`alter table site add column once text`.execute(trx)
  })
  const plan = {
    written: [once],
    schemaVersion: 2,
    additive: async (trx: Db) => {
      inside += 1
      most = Math.max(most, inside)
      await sql`select 1`.execute(trx)
      inside -= 1
    },
  }
  await Promise.all([1, 2, 3, 4].map(() => runMigrations(server.database, plan)))
  expect({ most, runs }).toEqual({ most: 1, runs: 1 })
})

test('migrations done by an earlier release are not repeated, and their record stays', async () => {
  const { db, pool } = server.database
  await pool.query(`create table easydash_schema (
      id text primary key, version integer, applied timestamp not null default (now() at time zone 'utc'));
    insert into easydash_schema (id, version) values ('0001-rename', null), ('0000-forgotten', null), ('version', 1);
    create table site (title text)`)
  expect(await appliedMigrations(db)).toEqual(['0000-forgotten', '0001-rename'])
  const more = migration('0002-more', (trx) => sql`alter table site add column more text`.execute(trx))
  const plan = { written: [rename, more], additive: () => Promise.resolve(), schemaVersion: 2 }
  await runMigrations(server.database, plan)
  await runMigrations(server.database, plan)
  expect(await columns()).toEqual(['title', 'more'])
  expect(await appliedMigrations(db)).toEqual(['0001-rename', '0002-more'])
  expect((await pool.query('select id from easydash_schema order by id')).rows).toHaveLength(3)
})

test('the reason of a failure is that of the database', async () => {
  await runMigrations(server.database, { written: [], additive, schemaVersion: 1 })
  const broken = migration('0001-broken', (trx) => sql`alter table nowhere add column x text`.execute(trx))
  await expect(
    runMigrations(server.database, { written: [broken], additive: () => Promise.resolve(), schemaVersion: 2 }),
  ).rejects.toMatchObject({ code: '42P01' })
  expect(await appliedMigrations(server.database.db)).toEqual([])
})

test('migrations out of order are a defect', async () => {
  await expect(
    runMigrations(server.database, {
      written: [migration('0002', () => Promise.resolve()), migration('0001', () => Promise.resolve())],
      additive,
      schemaVersion: 1,
    }),
  ).rejects.toThrow('sorted')
})
