import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import { openDatabase } from '../database/database.ts'
import { urlOf } from '#tests/support/product-database.ts'
import { silentLog } from '../log/log.ts'
import { isAlive, isZombie } from '../processes/processes.ts'
import { createSteps } from '../steps.ts'
import { removePostgres } from './postgres.ts'
import { stopServer } from './process.ts'
import { folders, query, run, start, untilTerminated, useFolders } from './test-server.ts'

useFolders()

test('the first start creates it, the next one finds its data; it is small, private and in a session of its own', async () => {
  const lines: string[] = []
  const step = createSteps({ print: (line) => void lines.push(line) })
  const first = await start({ step })
  await query(first, 'create table kept (id int); insert into kept values (7)')
  const [settings] = await query<Record<string, string>>(
    first,
    `select current_setting('listen_addresses') as tcp, current_setting('unix_socket_permissions') as mode,
    current_setting('timezone') as zone, current_setting('data_checksums') as checksums, datlocprovider as provider, datlocale as locale from pg_database where datname = 'easydash'`,
  )
  expect(settings).toEqual({ tcp: '', mode: '0700', zone: 'UTC', checksums: 'on', provider: 'b', locale: 'C.UTF-8' })
  expect(statSync(join(folders.dataDir, 'postgres')).mode & 0o027).toBe(0)
  if (process.platform === 'linux') {
    const stat = (await readFile(`/proc/${first.pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? []
    expect(Number(stat[3])).toBe(first.pid)
    expect(statSync(`/proc/${first.pid}`).uid).not.toBe(0)
  }
  await first.stop()
  expect(isAlive(first.pid)).toBe(false)
  const second = await start({ step })
  expect(await query(second, 'select id from kept')).toEqual([{ id: 7 }])
  expect(lines.map((line) => line.replace(/\d+\.\d+/, 'T'))).toEqual([
    '✓ Database created T s',
    '✓ Database started T s',
    '✓ Database started T s',
  ])
  expect([first.adopted, second.adopted]).toEqual([false, false])
})

test('the server of a killed process is taken over and stopped in the end', async () => {
  const { child, output, ended } = run('const p = await start(); console.log(p.pid); setInterval(() => 0, 1000)')
  const pid = Number(await output)
  child.kill('SIGKILL')
  await ended
  const postgres = await start()
  expect(postgres).toMatchObject({ pid, adopted: true })
  expect(await query(postgres, 'select 1 as one')).toEqual([{ one: 1 }])
  await postgres.stop()
  expect(isAlive(pid)).toBe(false)
})

test('two processes share one server; the last one stops it', async () => {
  const [one, two] = await Promise.all([
    start(),
    (async () => {
      const { output, child, ended } = run(untilTerminated)
      return { pid: Number(await output), child, ended }
    })(),
  ])
  expect(two.pid).toBe(one.pid)
  await one.stop()
  expect(isAlive(two.pid)).toBe(true)
  two.child.kill('SIGTERM')
  await two.ended
  expect(isAlive(two.pid)).toBe(false)
})

test('restarts a server that dies, loses nothing committed, and the pool reconnects', async () => {
  const postgres = await start()
  const database = openDatabase({ connection: postgres.connection, log: silentLog })
  await database.pool.query('create table kept (id int)')
  await database.pool.query('insert into kept values (1)')
  const before = postgres.pid
  let exits = 0
  postgres.onExit(() => void (exits += 1))
  const restarted = new Promise<void>((resolve) => void postgres.onRestart(resolve))
  process.kill(before, 'SIGKILL')
  await restarted
  expect(exits).toBe(1)
  expect(postgres.pid).not.toBe(before)
  expect((await database.pool.query('select id from kept')).rows).toEqual([{ id: 1 }])
  await database.close()
})

test('a server killed during a statement can be restarted immediately', async () => {
  const first = await start()
  const client = new pg.Client(first.connection)
  const cut = new Promise((resolve) => client.on('error', resolve))
  await client.connect()
  // Busy without checking its connection, so that it notices late that its server is gone.
  client
    .query('set client_connection_check_interval = 0; select count(*) from generate_series(1, 1000000000) as a')
    .catch(() => undefined)
  const watcher = new pg.Client(first.connection)
  watcher.on('error', () => undefined)
  await watcher.connect()
  const busy = async () => {
    const { rows } = await watcher.query<{ pid: number }>(
      "select pid from pg_stat_activity where query like '%generate_series%' and state = 'active' and pid <> pg_backend_pid()",
    )
    return rows.map(({ pid }) => pid)
  }
  await expect.poll(busy).toHaveLength(1)
  const [left = 0] = await busy()
  const stopped = first.stop()
  process.kill(first.pid, 'SIGKILL')
  await stopped
  const starting = start()
  const log = join(folders.dataDir, 'logs', 'postgres.log')
  await expect.poll(() => readFile(log, 'utf8')).toContain('pre-existing shared memory block')
  process.kill(left, 'SIGTERM')
  const second = await starting
  expect(second.pid).not.toBe(first.pid)
  expect(await query(second, 'select 1 as one')).toEqual([{ one: 1 }])
  await cut
})

test('a data folder that was moved takes its database along', async () => {
  folders.dataDir = join(folders.root, 'x'.repeat(90))
  const first = await start()
  await query(first, 'create table kept ()')
  await first.stop()
  await rename(folders.dataDir, join(folders.root, 'moved'))
  folders.dataDir = join(folders.root, 'moved')
  expect(await query(await start(), "select to_regclass('kept') is not null as found")).toEqual([{ found: true }])
})

test('a server that does not react is ended all the same', async () => {
  const postgres = await start()
  process.kill(postgres.pid, 'SIGSTOP')
  await stopServer(postgres, [20, 20, 5000])
  expect(isAlive(postgres.pid)).toBe(false)
})

test('a database of another major version is refused with a way out and not touched', async () => {
  await (await start()).stop()
  const cluster = join(folders.dataDir, 'postgres', 'cluster')
  await writeFile(join(cluster, 'PG_VERSION'), '17\n')
  const before = await readdir(cluster)
  await expect(start()).rejects.toMatchObject({
    name: 'StartupError',
    message: `The database in ${cluster} was made by PostgreSQL 17, this Easydash carries version 18.`,
    nextAction: expect.stringContaining('DATABASE_URL'),
  })
  expect(await readdir(cluster)).toEqual(before)
  expect(await readdir(join(folders.dataDir, 'postgres-users'))).toEqual([])
})

test('rejects a folder that is not a database, and a damaged record of its location', async () => {
  await mkdir(join(folders.dataDir, 'postgres', 'cluster'), { recursive: true })
  await writeFile(join(folders.dataDir, 'postgres', 'cluster', 'precious'), 'x')
  await expect(start()).rejects.toMatchObject({
    name: 'StartupError',
    message: expect.stringContaining('holds no PostgreSQL database'),
  })
  await writeFile(join(folders.dataDir, 'postgres.json'), '{"version":')
  await expect(start()).rejects.toMatchObject({ name: 'StartupError', message: expect.stringContaining('is damaged') })
})

test('restarts an interrupted creation', async () => {
  await mkdir(join(folders.dataDir, 'postgres', '.new-1', 'base'), { recursive: true })
  await start()
  expect(await readdir(join(folders.dataDir, 'postgres'))).toEqual(['cluster'])
})

test('a stale pid file whose number belongs to another program now does not stop the start', async () => {
  await (await start()).stop()
  const file = join(folders.dataDir, 'postgres', 'cluster', 'postmaster.pid')
  await writeFile(file, `${process.pid}\n${folders.dataDir}\n1\n5432\n${folders.dataDir}\n\n1 1\nready   \n`)
  const postgres = await start()
  expect(postgres.adopted).toBe(false)
  expect(await query(postgres, 'select 1 as one')).toEqual([{ one: 1 }])
})

test.runIf(process.platform === 'linux')(
  'a killed server that its parent does not reap, as process 1 of some containers, does not stop the start',
  async () => {
    const first = await start()
    const { uid } = statSync(`/proc/${first.pid}`)
    await first.stop()
    // Before its child ends, the shell becomes a program that never asks how.
    const parent = spawn('sh', ['-c', 'sleep 0.3 & echo $!; exec sleep 600'], {
      uid,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    try {
      const pid = Number(String(await once(parent.stdout, 'data')))
      await expect.poll(() => isZombie(pid)).toBe(true)
      const file = join(folders.dataDir, 'postgres', 'cluster', 'postmaster.pid')
      await writeFile(file, `${pid}\n${folders.dataDir}\n1\n5432\n${folders.dataDir}\n\n1 1\nready   \n`)
      const postgres = await start()
      expect(await query(postgres, 'select 1 as one')).toEqual([{ one: 1 }])
    } finally {
      parent.kill()
    }
  },
)

test.runIf(process.platform === 'linux')(
  "a pid file that names another installation's server leads to no other",
  async () => {
    const { pid } = await start()
    const theirs = await readFile(join(folders.dataDir, 'postgres', 'cluster', 'postmaster.pid'), 'utf8')
    folders.dataDir = join(folders.root, 'own')
    await (await start()).stop()
    await writeFile(join(folders.dataDir, 'postgres', 'cluster', 'postmaster.pid'), theirs)
    const own = await start()
    expect(own).toMatchObject({ adopted: false })
    await own.stop()
    expect(isAlive(pid)).toBe(true)
  },
)

test('a long path with spaces, quotes and unicode works; the socket gets a short folder that is found again', async () => {
  folders.dataDir = join(folders.root, `a "long", strange föld'er ${'x'.repeat(80)}`)
  const first = await start()
  expect(Buffer.byteLength(first.connection.host)).toBeLessThan(86)
  const client = new pg.Client({ connectionString: urlOf(first.connection) })
  await client.connect()
  await client.end()
  await first.stop()
  const second = await start()
  expect(second.connection.host).toBe(first.connection.host)
  await second.stop()
  await removePostgres(folders.dataDir, folders.systemDir)
  expect(() => statSync(first.connection.host)).toThrow('ENOENT')
})
