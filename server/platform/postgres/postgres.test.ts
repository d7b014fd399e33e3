import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, statSync } from 'node:fs'
import { chown, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openDatabase } from '../database.ts'
import { silentLog } from '../log.ts'
import { isAlive } from '../processes.ts'
import { createSteps, silentStep } from '../steps.ts'
import { outsideFolders } from './place.ts'
import { removePostgres, startPostgres, type Postgres, type PostgresOptions } from './postgres.ts'
import { stopServer } from './process.ts'

const isRoot = process.getuid?.() === 0
let root: string
let dataDir: string
let started: Postgres[] = []

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'pg-'))
  chmodSync(root, 0o755)
  dataDir = join(root, 'data')
})
afterEach(async () => {
  for (const postgres of started) {
    await postgres.stop()
    if (isAlive(postgres.pid)) await stopServer(postgres)
  }
  started = []
  await rm(root, { recursive: true, force: true })
})

async function start(options: Partial<PostgresOptions> = {}): Promise<Postgres> {
  const postgres = await startPostgres({
    dataDir,
    log: silentLog,
    step: silentStep,
    systemDir: join(root, 'system'),
    ...options,
  })
  started.push(postgres)
  return postgres
}

async function query<Row extends pg.QueryResultRow>(postgres: Postgres, text: string): Promise<Row[]> {
  const client = new pg.Client(postgres.connection)
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}

/** Prints the server's process id, then stops it on SIGTERM. */
const untilTerminated =
  'const p = await start(); process.once("SIGTERM", async () => { await p.stop(); process.exit() }); console.log(p.pid); setInterval(() => 0, 1000)'

/** Runs a program of ours in another process; resolves with its output when it printed a line or ended. */
function run(
  code: string,
  options: { uid?: number; gid?: number } = {},
): { child: ChildProcess; output: Promise<string>; ended: Promise<unknown> } {
  const module = (name: string) => JSON.stringify(new URL(name, import.meta.url).href)
  const script = `
    import { startPostgres } from ${module('./postgres.ts')}
    import { silentLog } from ${module('../log.ts')}
    const start = () => startPostgres({ dataDir: ${JSON.stringify(dataDir)}, log: silentLog, step: (_label, run) => run() })
    try { ${code} } catch (error) { console.log(error.name + ': ' + error.message + ' → ' + error.wayOut) }`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: '/',
    ...options,
  })
  let text = ''
  const output = new Promise<string>((resolve) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      if (text.includes('\n')) resolve(text.trim())
    })
    child.once('close', () => resolve(text.trim()))
  })
  return { child, output, ended: once(child, 'exit') }
}

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
  expect(statSync(join(dataDir, 'postgres')).mode & 0o077).toBe(0)
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

test('a server that dies is started again, nothing committed is lost, and the pool goes on', async () => {
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

test('a server that does not react is ended all the same', async () => {
  const postgres = await start()
  process.kill(postgres.pid, 'SIGSTOP')
  await stopServer(postgres, [20, 20, 5000])
  expect(isAlive(postgres.pid)).toBe(false)
})

test('a database of another major version is refused with a way out and not touched', async () => {
  await (await start()).stop()
  const cluster = join(dataDir, 'postgres', 'cluster')
  await writeFile(join(cluster, 'PG_VERSION'), '17\n')
  const before = await readdir(cluster)
  await expect(start()).rejects.toMatchObject({
    name: 'StartupError',
    message: `The database in ${cluster} was made by PostgreSQL 17, this Easydash carries version 18.`,
    wayOut: expect.stringContaining('export'),
  })
  expect(await readdir(cluster)).toEqual(before)
  expect(await readdir(join(dataDir, 'postgres-users'))).toEqual([])
})

test('a folder that is no database, and a damaged note of its place, are refused', async () => {
  await mkdir(join(dataDir, 'postgres', 'cluster'), { recursive: true })
  await writeFile(join(dataDir, 'postgres', 'cluster', 'precious'), 'x')
  await expect(start()).rejects.toMatchObject({
    name: 'StartupError',
    message: expect.stringContaining('holds no PostgreSQL database'),
  })
  await writeFile(join(dataDir, 'postgres.json'), '{"version":')
  await expect(start()).rejects.toMatchObject({ name: 'StartupError', message: expect.stringContaining('is damaged') })
})

test('a creation that was cut short is begun anew', async () => {
  await mkdir(join(dataDir, 'postgres', '.new-1', 'base'), { recursive: true })
  await start()
  expect(await readdir(join(dataDir, 'postgres'))).toEqual(['cluster'])
})

test('a stale pid file whose number belongs to another program now does not stop the start', async () => {
  await (await start()).stop()
  const file = join(dataDir, 'postgres', 'cluster', 'postmaster.pid')
  await writeFile(file, `${process.pid}\n${dataDir}\n1\n5432\n${dataDir}\n\n1 1\nready   \n`)
  const postgres = await start()
  expect(postgres.adopted).toBe(false)
  expect(await query(postgres, 'select 1 as one')).toEqual([{ one: 1 }])
})

test('a long path with spaces, quotes and unicode works; the socket gets a short folder that is found again', async () => {
  dataDir = join(root, `a "long", strange föld'er ${'x'.repeat(80)}`)
  const first = await start()
  expect(Buffer.byteLength(first.connection.host)).toBeLessThan(86)
  const client = new pg.Client({ connectionString: first.connectionString })
  await client.connect()
  await client.end()
  await first.stop()
  const second = await start()
  expect(second.connection.host).toBe(first.connection.host)
  await second.stop()
  await removePostgres(dataDir, join(root, 'system'))
  expect(() => statSync(first.connection.host)).toThrow('ENOENT')
})

describe.runIf(isRoot)('as root', () => {
  test('below a closed folder the database lives elsewhere, is found again and can be removed', async () => {
    const home = join(root, 'home')
    await mkdir(home, { mode: 0o700 })
    dataDir = join(home, 'clone', 'data')
    const first = await start()
    const [folder] = await outsideFolders(dataDir)
    expect(folder).toMatch(new RegExp(`^${join(root, 'system')}/[0-9a-f]{12}$`))
    await query(first, 'create table kept ()')
    await first.stop()
    const second = await start()
    expect(await query(second, "select to_regclass('kept') is not null as found")).toEqual([{ found: true }])
    expect(await outsideFolders(dataDir)).toEqual([folder])
    await removePostgres(dataDir, join(root, 'system'))
    expect(isAlive(second.pid)).toBe(false)
    expect(await readdir(join(root, 'system'))).toEqual([])
  })

  test('a database that was open and is closed now is refused with the command that helps', async () => {
    await (await start()).stop()
    chmodSync(root, 0o700)
    await expect(start()).rejects.toMatchObject({
      name: 'StartupError',
      wayOut: expect.stringContaining(`chmod o+x ${root}`),
    })
  })

  test('an ordinary user runs it themselves, and root later runs it as that user', async () => {
    await mkdir(dataDir)
    await chown(dataDir, 1, 1)
    const { output, child, ended } = run(untilTerminated, { uid: 1, gid: 1 })
    const pid = Number(await output)
    expect(statSync(`/proc/${pid}`).uid).toBe(1)
    child.kill('SIGTERM')
    await ended
    expect(isAlive(pid)).toBe(false)
    const postgres = await start()
    expect(statSync(`/proc/${postgres.pid}`).uid).toBe(1)
  })

  test('another user than the first one is told so', async () => {
    await (await start()).stop()
    chmodSync(join(dataDir, 'postgres'), 0o755)
    await chown(dataDir, 1, 1)
    await chown(join(dataDir, 'postgres-users'), 1, 1)
    expect(await run('await start()', { uid: 1, gid: 1 }).output).toMatch(
      /^StartupError: The database files belong to user id \d+, but Easydash was started by user id 1\. → /,
    )
  })

  test('a user id the system does not know is told about DATABASE_URL', async () => {
    await mkdir(dataDir)
    await chown(dataDir, 54_321, 54_321)
    expect(await run('await start()', { uid: 54_321, gid: 54_321 }).output).toMatch(
      /^StartupError: .*user id 54321 has no entry.*DATABASE_URL/,
    )
    expect(await readdir(dataDir)).toEqual(['postgres-users'])
  })

  test('a data folder that cannot be written is told in one sentence', async () => {
    await mkdir(dataDir, { mode: 0o755 })
    expect(await run('await start()', { uid: 1, gid: 1 }).output).toMatch(
      /^StartupError: The data folder .* cannot be written: permission denied\. → .*EASYDASH_DATA_DIR/,
    )
    expect(await readdir(dataDir)).toEqual([])
  })
})
