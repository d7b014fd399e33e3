import { randomBytes } from 'node:crypto'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import pg from 'pg'
import { openDataDir } from '../config/data-dir.ts'
import { withLock } from '../processes/lock-file.ts'
import type { Log } from '../log/log.ts'
import { supervise, type Supervised } from '../processes/supervise.ts'
import { explainFileError, StartupError, systemErrorCode } from '../processes/startup-error.ts'
import type { Step } from '../steps.ts'
import { accountSpawnOptions, checkCluster, createCluster } from './cluster.ts'
import { APP_ROLE, type Role, type RolePasswords } from './passwords.ts'
import { runningServer } from './pid-file.ts'
import { prepareLocation, recordClusterCreated, removeOutsideFolders, type ClusterLocation } from './location.ts'
import { adoptServer, PORT, spawnWithRetry, stopServer, type ServerProcess, type ServerSettings } from './process.ts'
import { DATABASE } from './roles.ts'
import { loadRolePasswords, setUpCluster } from './set-up.ts'
import { createServerClients, type ServerClients } from './server-clients.ts'

/** Connection settings of a database, as `pg` takes them. */
export interface PostgresConnection {
  host: string
  port: number
  user: string
  password: string
  database: string
}

/** The running built-in database of a data folder. */
export interface Postgres {
  readonly connection: PostgresConnection
  /** Process id of the server; changes when it is restarted. */
  readonly pid: number
  /** True if a running server (left by a killed process, or shared with another one) was taken over. */
  readonly adopted: boolean
  /** Called each time the server ended unexpectedly; it is restarted automatically. */
  onExit(listener: () => void): () => void
  /** Called when it accepts connections again after that. */
  onRestart(listener: () => void): () => void
  /** Stops the server (unless another process uses it, too) and resolves when its processes are gone. */
  stop(): Promise<void>
}

/** Options of `startPostgres`. */
export interface PostgresOptions {
  dataDir: string
  log: Log
  step: Step
  /** Where the database is stored if its account can't access the data folder. Default `/var/lib/easydash`. */
  systemDir?: string
  /** Settings of the server in addition to the permanent ones, which they replace. */
  settings?: ServerSettings
}

/** Connection settings for a running server as one of its roles. */
export function connectionAs(role: Role, host: string, passwords: RolePasswords): PostgresConnection {
  return { host, port: PORT, user: role, password: passwords[role], database: DATABASE }
}

/**
 * Whether the server accepts the password in the file: false if one of them was restored from elsewhere, e.g. an older
 * backup.
 */
async function acceptsPassword(server: ServerProcess, passwords: RolePasswords): Promise<boolean> {
  const client = new pg.Client(connectionAs(APP_ROLE, server.socketDir, passwords))
  try {
    await client.connect()
    return true
  } catch (error) {
    // invalid_password, invalid_authorization_specification (no such role), invalid_catalog_name (no such database)
    if (['28P01', '28000', '3D000'].includes(systemErrorCode(error))) return false
    throw error
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** The files were created without fsync; this flushes them in the background. */
function flushInBackground(location: ClusterLocation): void {
  const child = spawn(join(location.binaries.native, 'bin', 'initdb'), ['--sync-only', '--pgdata', location.cluster], {
    ...accountSpawnOptions(location),
    detached: true,
    stdio: 'ignore',
  })
  child.once('error', () => undefined)
  child.unref()
}

/**
 * Starts the built-in PostgreSQL of a data folder, creating it on first use, or takes over a running one. Prints its steps.
 * Restarts the server when it dies. Throws `StartupError` if it can't run here.
 */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const { dataDir, log } = options
  await openDataDir(dataDir)
  const clients = createServerClients(dataDir, randomBytes(4).toString('hex'))
  await clients.join().catch((error: unknown) => {
    throw explainFileError(error, `The data folder ${dataDir}`, 'EASYDASH_DATA_DIR')
  })
  try {
    // If two processes start at once, one creates and starts the server, and the other takes it over.
    const withStartLock = <T>(run: () => Promise<T>) => withLock(clients.startLock, run)
    const { location, server, passwords, adopted } = await withStartLock(() => startCluster(options, clients))
    const supervised = supervise({
      server,
      log,
      again: () =>
        withStartLock(
          async () => (await adoptServer(location)) ?? (await spawnWithRetry(location, dataDir, options.settings)),
        ),
      leave: () => clients.leave(),
      end: stopServer,
    })
    return publish(supervised, connectionAs(APP_ROLE, server.socketDir, passwords), adopted)
  } catch (error) {
    await clients.leave()
    throw error
  }
}

interface Running {
  location: ClusterLocation
  server: ServerProcess
  passwords: RolePasswords
  adopted: boolean
}

async function startCluster(options: PostgresOptions, clients: ServerClients): Promise<Running> {
  const { dataDir, log, step } = options
  const location = await prepareLocation(dataDir, options.systemDir)
  if (location.account.sharedBecause !== undefined)
    log.warn('The database runs as nobody, whom other programs share', { reason: location.account.sharedBecause })
  let passwords: RolePasswords | null
  if (await checkCluster(location)) {
    passwords = (await loadRolePasswords(location, dataDir)) ?? (await repeatSetup(location, options, clients))
  } else {
    passwords = await step('Database created', async () => {
      await createCluster(location)
      // A new cluster contains nothing worth waiting for the disk; `flushInBackground` catches up.
      return setUpCluster(location, dataDir, { fsync: 'off' })
    })
    await recordClusterCreated(dataDir)
    flushInBackground(location)
  }
  let running = await adoptServer(location)
  if (running) log.info('A running database was taken over', { pid: running.pid })
  let server = running ?? (await step('Database started', () => spawnWithRetry(location, dataDir, options.settings)))
  if (!(await acceptsPassword(server, passwords))) {
    passwords = await repeatSetup(location, options, clients)
    running = null
    server = await step('Database started', () => spawnWithRetry(location, dataDir, options.settings))
  }
  await clients.use()
  // Connections use this path for the lifetime of the process, so a restart keeps it.
  return { location: { ...location, socketDir: server.socketDir }, server, passwords, adopted: running !== null }
}

/** Repeats the setup of an existing cluster. It needs exclusive use of the server: nobody may be connected. */
async function repeatSetup(
  location: ClusterLocation,
  options: PostgresOptions,
  clients: ServerClients,
): Promise<RolePasswords> {
  const { dataDir, log, step } = options
  const [user] = await clients.users()
  if (user !== undefined)
    throw new StartupError(
      `The database of ${dataDir} has to be secured, but another Easydash (process ${user}) uses it.`,
      'Stop that one, then start again.',
    )
  const running = await runningServer(location.cluster)
  if (running) await stopServer(running)
  const passwords = await step('Database secured', () => setUpCluster(location, dataDir))
  log.info('The roles of the database were set up', { runsAs: location.account.uid, before: location.formerOwner })
  return passwords
}

function publish(supervised: Supervised, connection: PostgresConnection, adopted: boolean): Postgres {
  return {
    connection,
    get pid() {
      return supervised.pid()
    },
    adopted,
    onExit: supervised.onExit,
    onRestart: supervised.onRestart,
    stop: supervised.stop,
  }
}

/** Stops any server running on a data folder and deletes its files outside of it; call this before deleting the folder. */
export async function removePostgres(dataDir: string, systemDir?: string): Promise<void> {
  const location = await prepareLocation(dataDir, systemDir)
  const file = await runningServer(location.cluster)
  if (file) await stopServer(file)
  await removeOutsideFolders(dataDir, systemDir)
}
