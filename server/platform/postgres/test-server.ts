import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach } from 'vitest'
import { silentLog } from '../log/log.ts'
import { isAlive } from '../processes/processes.ts'
import { silentStep } from '../steps.ts'
import { startPostgres, type Postgres, type PostgresConnection, type PostgresOptions } from './postgres.ts'
import { stopServer } from './process.ts'

/** Folders of the current test; new for each. Every user can pass through `root`. */
export const folders = { root: '', dataDir: '', systemDir: '' }
let started: Postgres[] = []

/** Creates new folders for each test of a file and stops the servers it started. */
export function useFolders(): void {
  beforeEach(async () => {
    folders.root = await mkdtemp(join(tmpdir(), 'pg-'))
    chmodSync(folders.root, 0o755)
    folders.dataDir = join(folders.root, 'data')
    folders.systemDir = join(folders.root, 'system')
  })
  afterEach(async () => {
    for (const postgres of started) {
      await postgres.stop()
      if (isAlive(postgres.pid)) await stopServer(postgres)
    }
    started = []
    await rm(folders.root, { recursive: true, force: true })
  })
}

/** Starts a server on the test's data folder. */
export async function start(options: Partial<PostgresOptions> = {}): Promise<Postgres> {
  const { dataDir, systemDir } = folders
  const postgres = await startPostgres({ dataDir, log: silentLog, step: silentStep, systemDir, ...options })
  started.push(postgres)
  return postgres
}

/** Runs one statement on a new connection. */
export async function query<Row extends pg.QueryResultRow>(
  { connection }: { connection: PostgresConnection },
  text: string,
): Promise<Row[]> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}

/** A program that prints the server's process id and stops it on SIGTERM. */
export const untilTerminated =
  'const p = await start(); process.once("SIGTERM", async () => { await p.stop(); process.exit() }); console.log(p.pid); setInterval(() => 0, 1000)'

/** Runs code in another process, with `start` available; `output` resolves with its first line or at its end. */
export function run(
  code: string,
  options: { uid?: number; gid?: number; env?: NodeJS.ProcessEnv } = {},
): { child: ChildProcess; output: Promise<string>; ended: Promise<unknown> } {
  const module = (name: string) => JSON.stringify(new URL(name, import.meta.url).href)
  const script = `
    import { startPostgres } from ${module('./postgres.ts')}
    import { silentLog } from ${module('../log/log.ts')}
    const start = () => startPostgres({ dataDir: ${JSON.stringify(folders.dataDir)}, systemDir: ${JSON.stringify(folders.systemDir)}, log: silentLog, step: (_label, run) => run() })
    try { ${code} } catch (error) { console.log(error.name + ': ' + error.message + ' → ' + error.nextAction) }`
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
