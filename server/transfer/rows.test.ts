import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts'
import { rowsIn, copyRows } from './rows.ts'

let server: TestDatabase
let client: pg.Client
const table = { name: 'tab_t', columns: ['name', 'Odd "one"'] }
beforeAll(async () => {
  server = await createTestDatabase()
  client = new pg.Client(server.database.connectionConfig)
  await client.connect()
  await client.query('create table tab_t (name text not null, "Odd ""one""" jsonb)')
})
afterAll(async () => {
  await client?.end()
  await server?.drop()
})

const count = async () => (await client.query<{ n: number }>('select count(*) as n from tab_t')).rows[0]?.n

test('rows come back as they left, however they are cut', async () => {
  await client.query(
    `insert into tab_t select 'n ' || n || E'\\t\\n\\\\', jsonb_build_object('n', n) from generate_series(1, 5000) n`,
  )
  const all = async () => (await client.query('select * from tab_t order by 1')).rows
  const before = await all()
  const pieces: Buffer[] = []
  const out = copyRows(client, table, 1000)
  let next = await out.next()
  for (; next.done !== true; next = await out.next()) pieces.push(next.value)
  expect(next.value).toBe(5000)
  expect(pieces.length).toBeGreaterThan(1)
  const bytes = Buffer.concat(pieces)
  await client.query('truncate tab_t')
  const rows = rowsIn(client, [table])
  for (let at = 0; at < bytes.length; at += 777) await rows.write('tab_t', bytes.subarray(at, at + 777))
  expect(await rows.end()).toEqual({ tab_t: 5000 })
  expect(await all()).toEqual(before)
})

test('a table that still waits for rows can be given up and rolled back', async () => {
  await client.query('truncate tab_t')
  await client.query('begin')
  const rows = rowsIn(client, [table])
  await rows.write('tab_t', Buffer.from('a\t1\nb'))
  await rows.abandon()
  await client.query('rollback')
  expect(await count()).toBe(0)
})

test('reports rows that the table rejects, and can then be rolled back', async () => {
  await client.query('begin')
  const rows = rowsIn(client, [table])
  await rows.write('tab_t', Buffer.from('\\N\t1\n'))
  await expect(rows.end()).rejects.toMatchObject({ code: '23502' })
  await rows.abandon()
  await client.query('rollback')
  expect(await count()).toBe(0)
})
