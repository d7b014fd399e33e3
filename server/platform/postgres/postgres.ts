import { randomBytes } from 'node:crypto'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { openDataDir } from '../data-dir.ts'
import { withLock } from '../lock-file.ts'
import type { Log } from '../log.ts'
import { explainFileError } from '../startup-error.ts'
import type { Step } from '../steps.ts'
import { asAccount, checkCluster, createCluster, NAME } from './cluster.ts'
import { runningServer } from './pid-file.ts'
import { preparePlace, removeOutsideFolders, type Place } from './place.ts'
import { adoptServer, PORT, spawnServer, stopServer, type ServerProcess } from './process.ts'
import { createSharers } from './sharers.ts'

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

/** Pauses before each further try to bring a dead server back; the last one repeats. */
const RESTART_PAUSES_MS = [50, 200, 500, 1000, 2000, 5000, 10_000]

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
  const { dataDir, log, step } = options
  await openDataDir(dataDir)
  const sharers = createSharers(dataDir, randomBytes(4).toString('hex'))
  await sharers.join().catch((error: unknown) => {
    throw explainFileError(error, `The data folder ${dataDir}`, 'EASYDASH_DATA_DIR')
  })
  try {
    return await startShared(options, () => sharers.leave())
  } catch (error) {
    await sharers.leave()
    throw error
  }

  async function startShared({ systemDir }: PostgresOptions, leave: () => Promise<boolean>): Promise<Postgres> {
    // Two processes that start at once: one creates and starts the server, the other one takes it over.
    const { place, server, adopted } = await withLock(join(dataDir, 'postgres-users', 'start.lock'), () =>
      bringUp(systemDir),
    )
    return supervise(place, server, adopted, leave)
  }

  async function bringUp(
    systemDir: string | undefined,
  ): Promise<{ place: Place; server: ServerProcess; adopted: boolean }> {
    const place = await preparePlace(dataDir, systemDir)
    if (!(await checkCluster(place))) {
      await step('Database created', () => createCluster(place))
      flushInBackground(place)
    }
    const running = await adoptServer(place)
    if (running) log.info('A running database was taken over', { pid: running.pid })
    const server = running ?? (await step('Database started', () => spawnServer(place, dataDir)))
    await ensureDatabase(server)
    return { place, server, adopted: running !== null }
  }

  async function adoptOrSpawn(place: Place): Promise<ServerProcess> {
    try {
      return await spawnServer(place, dataDir)
    } catch (error) {
      // Another process of the same data folder may have been quicker; its server serves us too.
      const other = await adoptServer(place)
      if (other) return other
      throw error
    }
  }

  function supervise(place: Place, first: ServerProcess, adopted: boolean, leave: () => Promise<boolean>): Postgres {
    let server = first
    let stopping: Promise<void> | null = null
    const exitListeners = new Set<() => void>()
    const restartListeners = new Set<() => void>()
    const subscribe = (set: Set<() => void>) => (listener: () => void) => {
      set.add(listener)
      return () => void set.delete(listener)
    }

    const bringBack = async () => {
      for (let attempt = 0; stopping === null; attempt += 1) {
        await sleep(RESTART_PAUSES_MS[Math.min(attempt, RESTART_PAUSES_MS.length - 1)], undefined, { ref: false })
        if (stopping !== null) return
        try {
          server = (await adoptServer(place)) ?? (await adoptOrSpawn(place))
          return
        } catch (error) {
          log.error('The database could not be started again', { error, attempt: attempt + 1 })
        }
      }
    }
    let restarting: Promise<void> = Promise.resolve()
    const guard = () => {
      void server.exited.then(() => {
        if (stopping !== null) return
        log.error('The database ended unexpectedly; it is started again', { pid: server.pid })
        for (const listener of exitListeners) listener()
        restarting = bringBack().then(() => {
          if (stopping !== null) return
          for (const listener of restartListeners) listener()
          guard()
        })
      })
    }
    guard()

    const connection = connectionOf(first, NAME)
    return {
      connection,
      // The host in its usual place only makes it a URL every parser takes; the one in the query counts.
      connectionString: `postgresql://${NAME}@localhost/${NAME}?host=${encodeURIComponent(connection.host)}&port=${PORT}`,
      get pid() {
        return server.pid
      },
      adopted,
      onExit: subscribe(exitListeners),
      onRestart: subscribe(restartListeners),
      stop() {
        stopping ??= (async () => {
          await restarting
          if (await leave()) await stopServer(server)
        })()
        return stopping
      },
    }
  }
}

/** Stops whatever server runs on a data folder and deletes its files outside of it, before the folder itself is deleted. */
export async function removePostgres(dataDir: string, systemDir?: string): Promise<void> {
  const place = await preparePlace(dataDir, systemDir)
  const file = await runningServer(place.cluster)
  if (file) await stopServer(file)
  await removeOutsideFolders(dataDir)
}
