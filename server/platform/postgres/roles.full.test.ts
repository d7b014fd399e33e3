import { readdirSync, readFileSync, statSync } from 'node:fs'
import { chmod, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts'
import { superuserConnection } from '#tests/support/product-database.ts'
import { redact } from '../log/redact.ts'
import { APP_ROLE, readPasswords, scramVerifier, SUPERUSER } from './passwords.ts'
import type { PostgresConnection } from './postgres.ts'
import { folders, query, start, useFolders } from './test-server.ts'

/** The result of a connection: null if it is accepted, otherwise PostgreSQL's error code. */
async function connectionError(connection: Partial<PostgresConnection>): Promise<string | null> {
  const client = new pg.Client(connection)
  try {
    await client.connect()
    return null
  } catch (error) {
    return (error as { code?: string; message: string }).code ?? (error as Error).message
  } finally {
    await client.end().catch(() => undefined)
  }
}

describe('the role of the product', () => {
  let server: TestDatabase
  beforeAll(async () => {
    server = await createTestDatabase()
  })
  afterAll(() => server.drop())

  const attempt = async (statement: string) =>
    server.database.pool.query(statement).then(
      () => 'allowed',
      (error: { code: string }) => error.code,
    )

  test('is not a superuser, cannot create roles or databases, and belongs to no role', async () => {
    const { rows } = await server.database.pool.query(
      `select rolname, rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls,
        (select count(*)::int from pg_auth_members m where m.member = r.oid) as memberships
       from pg_roles r where rolname = current_user`,
    )
    expect(rows).toEqual([
      {
        rolname: APP_ROLE,
        rolsuper: false,
        rolcreaterole: false,
        rolcreatedb: false,
        rolreplication: false,
        rolbypassrls: false,
        memberships: 0,
      },
    ])
  })

  test.each([
    "copy (select 1) to program 'id'",
    "create table loot (t text); copy loot from program 'id'",
    "copy (select 1) to '/tmp/easydash-written'",
    "select pg_read_file('/etc/passwd')",
    "select lo_import('/etc/passwd')",
    "select pg_ls_dir('/')",
    'create role stranger',
    'create database another',
    'alter role easydash_app superuser',
    'alter role easydash_app createrole',
    `set role ${SUPERUSER}`,
    `set session authorization ${SUPERUSER}`,
    'grant pg_execute_server_program to easydash_app',
    "alter system set log_statement = 'all'",
    "select * from pg_authid where rolpassword <> ''",
    'create extension file_fdw',
    "create function sh(text) returns int language c as 'libc.so.6', 'system'",
    "load '/tmp/loot.so'",
  ])('cannot: %s', async (statement) => {
    expect(await attempt(statement)).toBe('42501')
  })

  test('owns its database: schemas, tables and trusted extensions', async () => {
    for (const statement of [
      'create schema own',
      'create table own.kept ()',
      'create extension pg_trgm',
      'create extension unaccent',
    ])
      expect(await attempt(statement)).toBe('allowed')
  })

  test('reaches no database but its own', async () => {
    for (const database of ['postgres', 'template1'])
      expect(await connectionError({ ...server.connection, database })).toBe('42501')
  })
})

describe('passwords', () => {
  useFolders()

  test('rejects connections without the correct password for any role, database or connection type', async () => {
    const { connection } = await start()
    const { password, ...open } = connection
    expect(await connectionError(connection)).toBe(null)
    for (const user of [SUPERUSER, APP_ROLE, 'postgres'])
      for (const database of ['easydash', 'postgres', 'template1'])
        for (const guess of ['', user, `${password}x`])
          expect(await connectionError({ ...open, user, database, password: guess })).toMatch(
            /28P01|client password must be a (?:non-empty )?string/,
          )
    const superuser = await superuserConnection(folders.dataDir, connection.host)
    expect(superuser.password).not.toBe(password)
    expect(await connectionError({ ...superuser, password })).toBe('28P01')
    const [row] = await query<{ rolsuper: boolean }>(
      { connection: superuser },
      'select rolsuper from pg_roles where rolname = current_user',
    )
    expect(row).toEqual({ rolsuper: true })
    const rules = await readFile(join(folders.dataDir, 'postgres', 'cluster', 'pg_hba.conf'), 'utf8')
    const methods = rules.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    expect(methods.every((line) => line.endsWith(' scram-sha-256'))).toBe(true)
    expect(methods.some((line) => line.startsWith('local all all'))).toBe(true)
  })

  test('are in files of the dashboard alone, and in no log, environment or command line', async () => {
    const postgres = await start()
    const folder = join(folders.dataDir, 'postgres-passwords')
    expect(statSync(folder)).toMatchObject({ uid: process.getuid?.() })
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    const names = readdirSync(folder).toSorted()
    expect(names).toEqual([SUPERUSER, APP_ROLE])
    for (const name of names) {
      expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
      const password = readFileSync(join(folder, name), 'utf8').trim()
      expect(password).toMatch(/^[\w-]{43}$/)
      expect(redact(`connecting with ${password} now`)).toBe('connecting with ***** now')
      for (const file of readdirSync(join(folders.dataDir, 'logs')))
        expect(readFileSync(join(folders.dataDir, 'logs', file), 'utf8')).not.toContain(password)
      for (const file of ['environ', 'cmdline'])
        if (process.platform === 'linux')
          expect(readFileSync(`/proc/${postgres.pid}/${file}`, 'utf8')).not.toContain(password)
    }
  })

  test('stored ones are SCRAM verifiers that do not give the password away', async () => {
    const postgres = await start()
    const superuser = await superuserConnection(folders.dataDir, postgres.connection.host)
    const rows = await query<{ rolpassword: string }>(
      { connection: superuser },
      'select rolpassword from pg_authid where rolcanlogin',
    )
    expect(rows).toHaveLength(2)
    for (const { rolpassword } of rows) expect(rolpassword).toMatch(/^SCRAM-SHA-256\$4096:/)
    // RFC 7677, section 3: the exchange of the user "user" with the password "pencil".
    const salt = Buffer.from('W22ZaJ0SNY7soEsUEjb6gQ==', 'base64')
    expect(scramVerifier('pencil', salt)).toBe(
      'SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=',
    )
  })

  const losses: [string, (file: string) => Promise<unknown>][] = [
    ['is gone', (file) => rm(file)],
    ['is damaged', (file) => writeFile(file, 'v1')],
    ['could be read by others', (file) => chmod(file, 0o644)],
    ['is a link', async (file) => rm(file).then(() => symlink('/etc/hostname', file))],
    ['came from another backup', (file) => writeFile(file, `${'A'.repeat(43)}\n`)],
  ]
  test.each(losses)('a file that %s: new passwords, and nothing is lost', async (_how, lose) => {
    const first = await start()
    await query(first, 'create table kept (id int); insert into kept values (7)')
    await first.stop()
    const before = await readPasswords(folders.dataDir)
    await lose(join(folders.dataDir, 'postgres-passwords', APP_ROLE))
    const second = await start()
    expect(await query(second, 'select id from kept')).toEqual([{ id: 7 }])
    expect(second.connection.password).not.toBe(before?.[APP_ROLE])
    expect(await connectionError({ ...second.connection, password: before?.[APP_ROLE] ?? '' })).toBe('28P01')
  })

  let rulesFile: string
  beforeEach(() => {
    rulesFile = join(folders.dataDir, 'postgres', 'cluster', 'pg_hba.conf')
  })
  test('rules that were changed are put back', async () => {
    await (await start()).stop()
    const rules = await readFile(rulesFile, 'utf8')
    await writeFile(rulesFile, `local all all trust\n${rules}`)
    await start()
    expect(await readFile(rulesFile, 'utf8')).toBe(rules)
  })
})
