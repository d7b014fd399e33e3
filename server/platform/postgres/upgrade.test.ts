import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, lstatSync, readdirSync, statSync } from 'node:fs'
import { chown, link, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { superuserConnection } from '#tests/support/product-database.ts'
import { isAlive, processIdentity } from '../processes/processes.ts'
import { isDatabaseUserId, ownUserIds } from '../processes/user-ids.ts'
import { APP_ROLE, SUPERUSER } from './passwords.ts'
import type { Postgres } from './postgres.ts'
import { setupCrashPoints } from './set-up.ts'
import { folders, query, run, start, startOldServer, useFolders } from './test-server.ts'

useFolders()
const isRoot = process.getuid?.() === 0
const cluster = () => join(folders.dataDir, 'postgres', 'cluster')

/** One object of each kind that the product and its libraries create. */
const filled = `
  create table kept (id int generated always as identity primary key, n serial, text text);
  insert into kept (text) values ('one'), ('two');
  create sequence loose start 41;
  create view seen as select text from kept;
  create materialized view counted as select count(*) from kept;
  create type state as enum ('a', 'b');
  create domain slug as text check (value <> '');
  create type pair as (a int, b state);
  create function twice(a int) returns int language sql as 'select a * 2';
  create function refuse() returns trigger language plpgsql as 'begin raise exception $$append only$$; end';
  create procedure nothing() language sql as 'select 1';
  create aggregate total(int) (sfunc = int4pl, stype = int);
  create trigger guard before delete on kept for each row execute function refuse();
  create schema pgboss;
  create type pgboss.job_state as enum ('created', 'done');
  create table pgboss.job (id int, state pgboss.job_state) partition by list (id);
  create table pgboss.job_common partition of pgboss.job default;
  create statistics related on id, n from kept;
  insert into pgboss.job values (1, 'created');
  select lo_create(4242);`

async function oldCluster(): Promise<void> {
  const old = await startOldServer()
  await old.query('create database easydash', 'postgres')
  await old.query(filled)
  await old.stop()
}

/** Names of the database objects that still belong to the superuser, except PostgreSQL's own. */
const leftOver = `select format('%s %s', classid::regclass, objid) as what from (
    select 'pg_class'::regclass as classid, oid as objid, relowner as owner, relnamespace as ns from pg_class where relkind <> 't'
    union all select 'pg_proc'::regclass, oid, proowner, pronamespace from pg_proc
    union all select 'pg_type'::regclass, oid, typowner, typnamespace from pg_type
    union all select 'pg_statistic_ext'::regclass, oid, stxowner, stxnamespace from pg_statistic_ext
    union all select 'pg_namespace'::regclass, oid, nspowner, oid from pg_namespace) all_objects
  where pg_get_userbyid(owner) = '${SUPERUSER}' and ns::regnamespace::text !~ '^(pg_(catalog|toast|temp)|information_schema)'
  union all select 'large object ' || oid from pg_largeobject_metadata where pg_get_userbyid(lomowner) = '${SUPERUSER}'
  union all select 'database ' || datname from pg_database where datname = 'easydash' and pg_get_userbyid(datdba) = '${SUPERUSER}'`

async function expectSecured(postgres: Postgres): Promise<void> {
  const { password: _password, ...open } = postgres.connection
  for (const user of [SUPERUSER, APP_ROLE]) {
    const stranger = new pg.Client({ ...open, user })
    await expect(stranger.connect()).rejects.toThrow('password')
    await stranger.end().catch(() => undefined)
  }
  expect(await query(postgres, 'select current_user, text from kept order by id')).toEqual([
    { current_user: APP_ROLE, text: 'one' },
    { current_user: APP_ROLE, text: 'two' },
  ])
  expect(await query(postgres, leftOver)).toEqual([])
  if (!isRoot) return
  const { uid } = statSync(`/proc/${postgres.pid}`)
  expect(isDatabaseUserId(uid)).toBe(true)
  expect(statSync(join(folders.dataDir, 'postgres'))).toMatchObject({ uid: 0, gid: uid })
  expect(statSync(join(folders.dataDir, 'postgres')).mode & 0o777).toBe(0o710)
  for (const name of ['.', ...readdirSync(cluster(), { recursive: true, encoding: 'utf8' })]) {
    const found = lstatSync(join(cluster(), name), { throwIfNoEntry: false })
    if (found) expect([name, found.uid]).toEqual([name, uid])
  }
}

test('a database of an earlier version keeps everything, and its door gets a lock', async () => {
  await oldCluster()
  const postgres = await start()
  await expectSecured(postgres)
  expect(
    await query(
      postgres,
      `insert into kept (text) values ('three') returning id, n, twice(n), nextval('loose')::int as loose`,
    ),
  ).toEqual([{ id: 3, n: 3, twice: 6, loose: 41 }])
  // Statements that migrations and pg-boss run on their own tables.
  await query(
    postgres,
    `alter table kept add column more text; refresh materialized view counted; alter type state add value 'c';
     create or replace function twice(a int) returns int language sql as 'select a + a'; alter table kept disable trigger user;
     create table pgboss.job_2 partition of pgboss.job for values in (2); drop view seen; select lo_unlink(4242);
     create table other (); create extension pg_trgm`,
  )
  const superuser = await superuserConnection(folders.dataDir, postgres.connection.host)
  expect(await query({ connection: superuser }, 'select current_user')).toEqual([{ current_user: SUPERUSER }])
})

test('one that was cut off before its database existed', async () => {
  await (await startOldServer()).stop()
  const postgres = await start()
  await query(postgres, 'create table kept ()')
})

test.each(setupCrashPoints)('killed at "%s", the next start does it whole', async (point) => {
  if (point === 'change-owner' && !isRoot) return
  await oldCluster()
  const killed = run('await start()', { env: { ...process.env, EASYDASH_CRASH_AT: `postgres/${point}` } })
  expect(await killed.ended).toEqual([null, 'SIGKILL'])
  await expectSecured(await start())
})

const long = process.env['EASYDASH_TEST_LONG'] === '1'
test.each(long ? setupCrashPoints.slice(1) : (['rules-written'] as const))(
  'a new one killed at "%s" is made all the same',
  async (point) => {
    const killed = run('await start()', { env: { ...process.env, EASYDASH_CRASH_AT: `postgres/${point}` } })
    expect(await killed.ended).toEqual([null, 'SIGKILL'])
    await query(await start(), 'create table kept ()')
  },
)

test('a server that an earlier version left running is replaced', async () => {
  await oldCluster()
  const old = await startOldServer()
  const postgres = await start()
  expect(isAlive(old.pid)).toBe(false)
  expect(postgres.adopted).toBe(false)
  await expectSecured(postgres)
})

test('fails with a message while an earlier version uses it, and leaves it alone', async () => {
  await oldCluster()
  const old = await startOldServer()
  const user = spawn('sleep', ['600'])
  try {
    await mkdir(join(folders.dataDir, 'postgres-users'))
    const { pid = 0 } = user
    await writeFile(join(folders.dataDir, 'postgres-users', `${pid}-00c0ffee`), processIdentity(pid) ?? '')
    await expect(start()).rejects.toMatchObject({
      name: 'StartupError',
      message: expect.stringContaining(`another Easydash (process ${pid}) uses it`),
    })
    await old.query("insert into kept (text) values ('still mine')")
    expect(existsSync(join(folders.dataDir, 'postgres-passwords'))).toBe(false)
  } finally {
    user.kill()
    await once(user, 'exit')
    await old.stop()
  }
})

describe.runIf(isRoot)('as root', () => {
  test('files outside the database keep their owner, even behind symlinks', async () => {
    await oldCluster()
    const precious = join(folders.root, 'precious')
    await writeFile(precious, 'x')
    const folder = join(folders.root, 'folder')
    await mkdir(folder)
    await writeFile(join(folder, 'inside'), 'x')
    await symlink(precious, join(cluster(), 'a-link'))
    await symlink(folder, join(cluster(), 'base', 'linked-folder'))
    expect(await query(await start(), 'select count(*)::int as n from kept')).toEqual([{ n: 2 }])
    for (const path of [precious, folder, join(folder, 'inside')]) expect(statSync(path).uid).toBe(0)
  })

  test('continues an interrupted change of owner', async () => {
    await oldCluster()
    const { postgres } = await ownUserIds(folders.dataDir, folders.systemDir)
    const done = readdirSync(join(cluster(), 'base'), { recursive: true, encoding: 'utf8' }).slice(0, 100)
    for (const name of done) await chown(join(cluster(), 'base', name), postgres, postgres)
    await expectSecured(await start())
  })

  test('a file with a second name is refused, and the start says which', async () => {
    await oldCluster()
    const former = statSync(cluster()).uid
    const shadow = join(folders.root, 'shadow')
    await writeFile(shadow, 'root')
    await link(shadow, join(cluster(), 'base', 'shadow'))
    await expect(start()).rejects.toMatchObject({ name: 'StartupError', message: expect.stringContaining('shadow') })
    expect(statSync(shadow).uid).toBe(0)
    await chown(shadow, former, former)
    await expect(start()).rejects.toMatchObject({ name: 'StartupError', message: expect.stringContaining('shadow') })
    expect(statSync(shadow).uid).toBe(former)
  })

  test('two installations share no account, and a copy of one gets its own', async () => {
    const first = await start()
    const here = folders.dataDir
    folders.dataDir = join(folders.root, 'second')
    const second = await start()
    const uidOf = ({ pid }: Postgres) => statSync(`/proc/${pid}`).uid
    expect(uidOf(first)).not.toBe(uidOf(second))
    await first.stop()
    await second.stop()
    const copy = join(folders.root, 'copy')
    expect(await once(spawn('cp', ['-a', here, copy]), 'exit')).toEqual([0, null])
    folders.dataDir = copy
    const third = await start()
    folders.dataDir = here
    expect(uidOf(third)).not.toBe(uidOf(await start()))
  })

  test("the server's account has no entry in the list of users, and the folder above is not its own", async () => {
    const postgres = await start()
    const { uid } = statSync(`/proc/${postgres.pid}`)
    expect(await readFile('/etc/passwd', 'utf8')).not.toContain(`:${uid}:`)
    expect(statSync(join(folders.dataDir, 'postgres')).uid).toBe(0)
  })
})
