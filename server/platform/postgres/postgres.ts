import { randomBytes } from 'node:crypto'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import pg from 'pg'
import { openDataDir } from '../data-dir.ts'
import { withLock } from '../lock-file.ts'
import type { Log } from '../log.ts'
import { explainFileError } from '../startup-error.ts'
import type { Step } from '../steps.ts'
import { asAccount, checkCluster, createCluster, NAME } from './cluster.ts'
import { runningServer } from './pid-file.ts'
import { preparePlace, rememberCreated, removeOutsideFolders, type Place } from './place.ts'
import { adoptServer, PORT, spawnPatiently, stopServer, type ServerProcess } from './process.ts'
import { createSharers } from './sharers.ts'
import { supervise, type Supervised } from './supervise.ts'

/** How to reach a database: the shape `pg` takes. */
export interface PostgresConnection {
  host: string
  port: number
  user: string
  database: string
}

/** The built-in database of a data folder, running. */
export interface Postgres {
  readonly connection: PostgresConnection
  /** The same as one URL, for libraries that want one. */
  readonly connectionString: string
  /** Process id of the server; changes when it was restarted. */
  readonly pid: number
  /** True when a server that ran already (left by a killed process, or shared with another one) was taken over. */
  readonly adopted: boolean
  /** Calls back each time the server ended without being asked to; it is started again by itself. */
  onExit(listener: () => void): () => void
  /** Calls back when it takes connections again after such an end. */
  onRestart(listener: () => void): () => void
  /** Stops the server (unless another process uses it too) and resolves when its processes are gone. */
  stop(): Promise<void>
}

/** What `startPostgres` needs. */
export interface PostgresOptions {
  dataDir: string
  log: Log
  step: Step
  /** Where the database goes when its account cannot pass through to the data folder. Default `/var/lib/easydash`. */
  systemDir?: string
}

function connectionOf(server: ServerProcess, database: string): PostgresConnection {
  return { host: server.socketDir, port: PORT, user: NAME, database }
}

/** Creates our database in the cluster; does nothing when it is there. */
async function ensureDatabase(server: ServerProcess): Promise<void> {
  const client = new pg.Client(connectionOf(server, 'postgres'))
  await client.connect()
  try {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [NAME])
    if (rowCount === 0) await client.query(`create database ${NAME}`)
  } finally {
    await client.end()
  }
}

/** The files were created without waiting for the disk; this catches up behind the running start. */
function flushInBackground(place: Place): void {
  const child = spawn(join(place.binaries.native, 'bin', 'initdb'), ['--sync-only', '--pgdata', place.cluster], {
    ...asAccount(place),
    detached: true,
    stdio: 'ignore',
  })
  child.once('error', () => undefined)
  child.unref()
}

/**
 * Starts the built-in PostgreSQL of a data folder, creating it on first use, or takes over the one that runs already.
 * Prints its steps. Restarts the server when it dies. Throws `StartupError` when it cannot run here.
 */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const { dataDir, log } = options
  await openDataDir(dataDir)
  const sharers = createSharers(dataDir, randomBytes(4).toString('hex'))
  await sharers.join().catch((error: unknown) => {
    throw explainFileError(error, `The data folder ${dataDir}`, 'EASYDASH_DATA_DIR')
  })
  try {
    // Two processes that start at once: one creates and starts the server, the other one takes it over.
    const alone = <T>(run: () => Promise<T>) => withLock(sharers.startLock, run)
    const { place, server, adopted } = await alone(() => bringUp(options))
    const supervised = supervise({
      server,
      log,
      again: () => alone(async () => (await adoptServer(place)) ?? (await spawnPatiently(place, dataDir))),
      leave: () => sharers.leave(),
    })
    return publish(supervised, connectionOf(server, NAME), adopted)
  } catch (error) {
    await sharers.leave()
    throw error
  }
}

async function bringUp(options: PostgresOptions): Promise<{ place: Place; server: ServerProcess; adopted: boolean }> {
  const { dataDir, log, step } = options
  const place = await preparePlace(dataDir, options.systemDir)
  if (!(await checkCluster(place))) {
    await step('Database created', () => createCluster(place))
    await rememberCreated(dataDir)
    flushInBackground(place)
  }
  const running = await adoptServer(place)
  if (running) log.info('A running database was taken over', { pid: running.pid })
  const server = running ?? (await step('Database started', () => spawnPatiently(place, dataDir)))
  await ensureDatabase(server)
  // Connections are opened by the path for as long as this process lives, so a restart keeps it.
  return { place: { ...place, socketDir: server.socketDir }, server, adopted: running !== null }
}

function publish(supervised: Supervised, connection: PostgresConnection, adopted: boolean): Postgres {
  return {
    connection,
    // The host in its usual place only makes it a URL every parser takes; the one in the query counts.
    connectionString: `postgresql://${NAME}@localhost/${NAME}?host=${encodeURIComponent(connection.host)}&port=${PORT}`,
    get pid() {
      return supervised.pid()
    },
    adopted,
    onExit: supervised.onExit,
    onRestart: supervised.onRestart,
    stop: supervised.stop,
  }
}

/** Stops whatever server runs on a data folder and deletes its files outside of it, before the folder itself is deleted. */
export async function removePostgres(dataDir: string, systemDir?: string): Promise<void> {
  const place = await preparePlace(dataDir, systemDir)
  const file = await runningServer(place.cluster)
  if (file) await stopServer(file)
  await removeOutsideFolders(dataDir)
}
