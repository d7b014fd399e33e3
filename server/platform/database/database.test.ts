import { once } from 'node:events'
import { createServer } from 'node:net'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts'
import { checkServer, openDatabase, paddedTimestamp } from './database.ts'
import { preparedStatement, sentWithNext } from './prepared-statements.ts'
import { isTransientDatabaseError } from './transient-error.ts'
import { silentLog } from '../log/log.ts'
import { portOf } from '../network/port-of.ts'

let server: TestDatabase
beforeAll(async () => {
  server = await createTestDatabase()
})
afterAll(() => server.drop())

/** A promise with its resolve function. */
const signal = () => Promise.withResolvers<string>()

/** Closes every connection with this application name, as a server restart would. */
async function cutConnections(name: string): Promise<number> {
  const client = new pg.Client(server.connection)
  await client.connect()
  const { rowCount } = await client.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1',
    [name],
  )
  await client.end()
  return rowCount ?? 0
}

test('values arrive as JSON has them', async () => {
  const { rows } = await server.database.pool
    .query(`select 9007199254740991::int8 as big, 12.5::numeric as price, date '2026-02-03' as day, count(*) as n, '{"a":[1]}'::jsonb as doc,
    timestamp '2026-02-03 04:05:06.7' as at, timestamp '2026-02-03 04:05:06' as whole, true as yes, null::timestamp as never`)
  expect(rows).toEqual([
    {
      big: 9007199254740991,
      price: 12.5,
      day: '2026-02-03',
      n: 1,
      doc: { a: [1] },
      at: '2026-02-03 04:05:06.700000',
      whole: '2026-02-03 04:05:06.000000',
      yes: true,
      never: null,
    },
  ])
  expect(paddedTimestamp('infinity')).toBe('infinity')
})

test('the session speaks UTC, also when a URL brings options of its own', async () => {
  const url = new URL(server.connectionString)
  url.searchParams.set('options', '-c work_mem=5MB -c timezone=Asia/Tokyo')
  const database = openDatabase({ connection: url.href, log: silentLog })
  const { rows } = await database.pool.query(
    "select current_setting('timezone') as zone, current_setting('work_mem') as memory",
  )
  expect(rows).toEqual([{ zone: 'UTC', memory: '5MB' }])
  await database.close()
})

test('a statement that takes too long or waits too long for a lock is ended by the server', async () => {
  const options = { connection: server.connection, log: silentLog }
  const hasty = openDatabase({ ...options, statementTimeoutMs: 30 })
  await expect(hasty.pool.query('select pg_sleep(60)')).rejects.toMatchObject({ code: '57014' })
  await hasty.close()
  const waiting = openDatabase({ ...options, lockTimeoutMs: 10 })
  await server.database.pool.query('create table locked (id int)')
  await server.database.db.transaction().execute(async (trx) => {
    await sql`lock table locked`.execute(trx)
    await expect(waiting.pool.query('select * from locked')).rejects.toMatchObject({ code: '55P03' })
  })
  await waiting.close()
})

test('a lost connection is logged and replaced', async () => {
  const lost: string[] = []
  const database = openDatabase({
    connection: server.connection,
    log: { ...silentLog, warn: (message) => void lost.push(message) },
    applicationName: 'to-be-cut',
  })
  await database.pool.query('select 1')
  expect(await cutConnections('to-be-cut')).toBe(1)
  await expect.poll(() => lost.length).toBeGreaterThan(0)
  expect((await database.pool.query('select 2 as two')).rows).toEqual([{ two: 2 }])
  await database.close()
})

test('sends a notification after the commit, to its channel only, and not after a rollback', async () => {
  const { database } = server
  const received: string[] = []
  let wake = signal()
  const off = await database.listen('jobs', (payload) => {
    received.push(payload)
    wake.resolve(payload)
  })
  const offOther = await database.listen('Other "channel"', (payload) => void received.push(`other ${payload}`))
  await expect(
    database.db.transaction().execute(async (trx) => {
      await database.notify(trx, 'jobs', 'rolled back')
      throw new Error('stop')
    }),
  ).rejects.toThrow('stop')
  await database.db.transaction().execute(async (trx) => {
    await database.notify(trx, 'jobs', 'a "quoted" päyload')
    expect(received).toEqual([])
  })
  await wake.promise
  wake = signal()
  await database.notify(database.db, 'jobs', 'second')
  await wake.promise
  expect(received).toEqual(['a "quoted" päyload', 'second'])
  off()
  offOther()
  await expect(database.notify(database.db, 'jobs', 'x'.repeat(8000))).rejects.toThrow(RangeError)
})

test('listening survives a lost connection and reports the reconnect', async () => {
  const database = openDatabase({ connection: server.connection, log: silentLog, applicationName: 'cut-listener' })
  const [back, note] = [signal(), signal()]
  await database.listen('changes', note.resolve, { onReconnect: () => back.resolve('') })
  expect(await cutConnections('cut-listener')).toBe(1)
  await back.promise
  await server.database.notify(server.database.db, 'changes', 'still here')
  expect(await note.promise).toBe('still here')
  await database.close()
})

test('a failing listener does not keep others from hearing', async () => {
  const { database } = server
  const note = signal()
  const offs = [
    await database.listen('shared', () => {
      throw new Error('bad listener')
    }),
    await database.listen('shared', note.resolve),
  ]
  await database.notify(database.db, 'shared', 'all')
  expect(await note.promise).toBe('all')
  for (const off of offs) off()
})

test('a server that cannot be reached or is too old is named as such', async () => {
  const nowhere = openDatabase({ connection: 'postgresql://u:p@127.0.0.1:1/d', log: silentLog })
  await expect(checkServer(nowhere)).rejects.toMatchObject({
    name: 'StartupError',
    message: expect.stringContaining('cannot be reached'),
    nextAction: expect.stringContaining('DATABASE_URL'),
  })
  await nowhere.close()
  await checkServer(server.database)
  const old = {
    ...server.database,
    pool: { query: () => Promise.resolve({ rows: [{ version: '140012' }] }) } as unknown as pg.Pool,
  }
  await expect(checkServer(old)).rejects.toMatchObject({
    message: 'The database is PostgreSQL 14; Easydash needs version 15 or newer.',
  })
})

test('a statement sent with the next one takes effect with the commit, and ends the transaction if it fails', async () => {
  const { db } = server.database
  await sql`create table kept (id int)`.execute(db)
  const kept = async () => (await sql<{ id: number }>`select id from kept order by id`.execute(db)).rows
  const insertWith = (id: number, divisor: number) =>
    db.transaction().execute(async (trx) => {
      await sql`insert into kept values (${id})`.execute(trx)
      await sql`${sentWithNext}select 1 / ${divisor}::int`.execute(trx)
    })
  await insertWith(1, 1)
  await expect(insertWith(2, 0)).rejects.toMatchObject({ code: '22012' })
  await db
    .transaction()
    .execute(async (trx) => {
      await sql`${sentWithNext}select 1 / 0`.execute(trx)
      throw new Error('rolled back')
    })
    .catch((error: unknown) => expect(String(error)).toContain('rolled back'))
  // The connections are usable.
  await insertWith(3, 1)
  expect(await kept()).toEqual([{ id: 1 }, { id: 3 }])
})

test('nothing is written outside of a transaction when its begin fails', async () => {
  const { db } = server.database
  await sql`create table untouched (id int)`.execute(db)
  // A client calls itself for nothing else.
  const query = pg.Client.prototype.query as (...args: unknown[]) => unknown
  const failing = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
    this: pg.Client,
    ...args: unknown[]
  ) {
    const { text } = args[0] as { text?: string }
    return text === 'begin' && this.database === server.connection.database
      ? query.call(this, { text: 'select 1 / 0', values: [] })
      : query.apply(this, args)
  } as never)
  try {
    const first = [sql`insert into untouched values (1)`, sql`${preparedStatement}select id from untouched`]
    for (const statement of first)
      await expect(
        db.transaction().execute(async (trx) => {
          await statement.execute(trx)
          await sql`insert into untouched values (2)`.execute(trx)
        }),
      ).rejects.toMatchObject({ code: '22012' })
  } finally {
    failing.mockRestore()
  }
  expect((await sql`select id from untouched`.execute(db)).rows).toEqual([])
})

test('a connection that ends while it is made can be tried again', async () => {
  const dying = createServer((socket) => socket.once('data', () => socket.destroy()))
  dying.listen(0, '127.0.0.1')
  await once(dying, 'listening')
  const database = openDatabase({ connection: `postgres://nobody@127.0.0.1:${portOf(dying)}/none`, log: silentLog })
  const error: unknown = await sql`select 1`.execute(database.db).catch((thrown: unknown) => thrown)
  expect(isTransientDatabaseError(error), String(error)).toBe(true)
  await database.close()
  dying.close()
})
