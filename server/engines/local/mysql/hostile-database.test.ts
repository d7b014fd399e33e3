import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exists } from '#server/platform/files/exists.ts'
import { silentLog } from '#server/platform/log/log.ts'
import { findMysql } from '#server/platform/mysql/find-mysql.ts'
import { dumpDatabase, MysqlTimeoutError, runSql, type MysqlLogin } from '#server/platform/mysql/mysql-client.ts'
import { removeOutsideFolders } from '#server/platform/postgres/location.ts'
import { ownServer, type AdminLogin, type OpenServer } from './admin-login.ts'
import { openLocalMysql, type LocalMysql } from './local-mysql.ts'
import { prepareMysqlHome } from './mysql-home.ts'
import { endOverlong } from './site-connections.ts'
import { databaseOf, maxConnections, type SiteLogin } from './site-statements.ts'

const programs = await findMysql()
const program = programs?.server ?? null
const site = 'abcdefghij'
const database = databaseOf(site)
const signal = () => AbortSignal.timeout(300_000)

describe.skipIf(program === null)('code of a site in its database (skipped where no server is installed)', () => {
  let dataDir = ''
  let server: OpenServer
  let mysql: LocalMysql
  let login: SiteLogin
  beforeAll(async () => {
    if (programs === null || program === null) return
    dataDir = await mkdtemp(join(tmpdir(), 'mysql-hostile-'))
    server = await ownServer(programs, program, { dataDir, log: silentLog, siteConnections: 24 })
    mysql = await openLocalMysql({ dataDir, log: silentLog, url: null, openServer: () => Promise.resolve(server) })
    login = await mysql.create(site)
    await as(`CREATE TABLE ${database}.t (a int); INSERT INTO ${database}.t VALUES (1);`)
  })
  afterAll(async () => {
    await mysql?.stop()
    await removeOutsideFolders(dataDir)
    await rm(dataDir, { recursive: true, force: true })
  })
  const admin = (): AdminLogin => server.login()
  const own = (): MysqlLogin => ({ ...admin(), user: login.user, password: login.password })
  const as = (sql: string) => runSql(own(), sql, signal())
  const connections = async () =>
    (await runSql(admin(), `SELECT COMMAND FROM information_schema.PROCESSLIST WHERE USER = '${login.user}';`)).flat()
  /** Runs statements that do not end by themselves, and waits until they do so. */
  const hold = async (sql: string, count = 1): Promise<readonly Promise<unknown>[]> => {
    const before = (await connections()).length
    const held = Array.from({ length: count }, () => as(`${sql} SELECT SLEEP(100);`).catch((error: unknown) => error))
    await expect.poll(connections).toHaveLength(before + count)
    return held
  }

  test('ends with the lock of the user', async () => {
    const held = await hold(`INSERT INTO ${database}.t VALUES (2);`, 3)
    await mysql.setLocked(site, true)
    for (const one of held) expect(await one).toBeInstanceOf(Error)
    await expect.poll(connections).toEqual([])
    await expect(as('SELECT 1;')).rejects.toThrow(/locked/i)
    await mysql.setLocked(site, false)
    expect(await as('SELECT 1;')).toEqual([['1']])
  })

  test('keeps no table from being dropped, and nothing waits for its locks for ever', async () => {
    const other = 'klmnopqrst'
    const before = login
    login = await mysql.create(other)
    await as(`CREATE TABLE ${login.database}.t (a int);`)
    const held = await hold(`START TRANSACTION; SELECT * FROM ${login.database}.t;`)
    // A statement of ours that waits for it gives up: by its deadline, or when it is no longer wanted.
    const waiting = `DROP TABLE ${login.database}.t;`
    await expect(runSql(admin(), waiting, undefined, 300)).rejects.toBeInstanceOf(MysqlTimeoutError)
    await expect(runSql(admin(), waiting, AbortSignal.timeout(300))).rejects.toMatchObject({ name: 'AbortError' })
    expect(await runSql(admin(), 'SELECT @@lock_wait_timeout, @@innodb_lock_wait_timeout;')).toEqual([['20', '20']])
    await mysql.drop(other)
    expect(await held[0]).toBeInstanceOf(Error)
    expect(await runSql(admin(), `SHOW DATABASES LIKE '${login.database}';`)).toEqual([])
    login = before
  })

  test('cannot raise what its session may use', async () => {
    for (const [name, most] of Object.entries({
      sort_buffer_size: 4_194_304,
      join_buffer_size: 4_194_304,
      tmp_table_size: 33_554_432,
      max_heap_table_size: 33_554_432,
      group_concat_max_len: 4_194_304,
      lock_wait_timeout: 60,
      wait_timeout: 600,
    })) {
      const [row] = await as(`SET SESSION ${name} = 1000000000; SELECT @@${name};`)
      expect([name, Number(row?.[0])]).toEqual([name, most])
    }
    const [row] = await as('SELECT @@tmpdir;')
    expect(row).toEqual([(await prepareMysqlHome(dataDir, silentLog)).folder.temporary])
    await as(`CREATE TABLE ${database}.m (a int) ENGINE=MEMORY;`)
    expect(await as(`SELECT ENGINE FROM information_schema.TABLES WHERE TABLE_NAME = 'm';`)).toEqual([['InnoDB']])
  })

  test('cannot use up the connections of others or ours', async () => {
    const held = await hold('', maxConnections)
    await expect(as('SELECT 1;')).rejects.toMatchObject({ code: 1226 })
    expect(await runSql(admin(), 'SELECT @@max_connections;')).toEqual([['64']])
    await mysql.setLocked(site, true)
    await mysql.setLocked(site, false)
    await Promise.all(held)
  })

  test('is ended when one statement or transaction goes on for too long, though the site lifts its own limit', async () => {
    const [statement] = await hold('SET SESSION max_statement_time = 0;')
    await endOverlong(admin(), login.user)
    expect(await connections()).toHaveLength(1)
    await endOverlong(admin(), login.user, { statement: -1, transaction: 600 })
    expect(await statement).toBeInstanceOf(Error)
    const [transaction] = await hold(`START TRANSACTION; SELECT * FROM ${database}.t;`)
    const left = async () => {
      await endOverlong(admin(), login.user, { statement: 1_000, transaction: 0 })
      return connections()
    }
    // InnoDB keeps its list of transactions for 0.1 s after somebody looked.
    await expect.poll(left, { interval: 250 }).toEqual([])
    expect(await transaction).toBeInstanceOf(Error)
  })

  test('cannot hide the size of a table from the quota', async () => {
    const before = await mysql.bytes(site)
    await as(`CREATE TABLE ${database}.hidden (a longblob) STATS_AUTO_RECALC=0;
INSERT INTO ${database}.hidden VALUES (REPEAT('x', 8000000)), (REPEAT('x', 8000000)), (REPEAT('x', 8000000));`)
    const after = await mysql.bytes(site)
    expect(after - before).toBeGreaterThan(20_000_000)
    // A routine is a row in a table of the server.
    const text = 'x'.repeat(3_000_000)
    await as(`CREATE PROCEDURE ${database}.large() SELECT '${text}';`)
    expect((await mysql.bytes(site)) - after).toBeGreaterThan(2_900_000)
    expect(await exists(join((await mysql.folder(site)) ?? '', 'hidden.frm'))).toBe(true)
  })

  test('gets no dump beyond the limit, of which nothing is left', async () => {
    const path = join(dataDir, 'large.sql')
    await expect(mysql.dump(site, { path, signal: signal(), maxBytes: 1_000_000 })).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('larger than the site’s quota'),
    })
    expect(await exists(path)).toBe(false)
    await expect(mysql.dump(site, { path, signal: AbortSignal.abort(), maxBytes: 1 })).rejects.toMatchObject({
      name: 'AbortError',
    })
    expect(await exists(path)).toBe(false)
    await writeFile(path, 'mine')
    await expect(mysql.dump(site, { path, signal: signal(), maxBytes: 1e9 })).rejects.toThrow()
    expect(await readFile(path, 'utf8')).toBe('mine')
    await rm(path)
    expect(await runSql(admin(), `SELECT USER FROM mysql.user WHERE USER LIKE '%read';`)).toEqual([])
  })

  test('is no database after a dump that could not be read to its end', async () => {
    const content = Readable.from(
      (async function* () {
        yield `CREATE TABLE ${database}.half (a int);\n`
        throw new Error('unreadable')
      })(),
    )
    await expect(mysql.load(login, { content, signal: signal() })).rejects.toMatchObject({ code: 'unavailable' })
    await as(`DROP TABLE IF EXISTS ${database}.half;`)
  })

  test('does not hold up a dump by a lock', async () => {
    const path = join(dataDir, 'stalled.sql')
    const [held] = await hold(`LOCK TABLES ${database}.t WRITE;`)
    const dump = dumpDatabase(admin(), database, { path, signal: signal(), maxBytes: 1e9, stallMs: 500 })
    await expect(dump).rejects.toBeInstanceOf(MysqlTimeoutError)
    expect(await exists(path)).toBe(false)
    await mysql.setLocked(site, true)
    await mysql.setLocked(site, false)
    await held
  })

  test('tells members nothing about the server, and the operator everything', async () => {
    const { address } = admin()
    const errors: unknown[] = []
    const log = { ...silentLog, error: (_text: string, details?: unknown) => void errors.push(details) }
    const stranger = {
      login: () => ({ ...admin(), user: 'operator7', password: 'wrong-password' }),
      stop: async () => undefined,
    }
    const refused = await openLocalMysql({ dataDir, log, url: null, openServer: () => Promise.resolve(stranger) })
    const error = await refused.bytes(site).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'unavailable', message: expect.stringContaining('refused the connection') })
    const shown = JSON.stringify([(error as Error).message, (error as { nextAction: unknown }).nextAction])
    for (const secret of ['operator7', 'localhost', 'path' in address ? address.path : '?', 'wrong-password'])
      expect(shown).not.toContain(secret)
    expect(String((errors[0] as { error: Error }).error)).toContain('operator7')
    // What is wrong with a dump is said, without the account.
    const content = Readable.from(['CREATE TABLE broken (;\n'])
    await expect(mysql.load(login, { content, signal: signal() })).rejects.toThrow(/ERROR 1064/)
    const denied = Readable.from(["CREATE USER 'x'@'y';\n"])
    await expect(mysql.load(login, { content: denied, signal: signal() })).rejects.not.toThrow(/localhost/)
  })
})
