import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, readSync, renameSync, fstatSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isAlive, isZombie, processName } from '../processes/processes.ts'
import { StartupError, systemErrorCode } from '../processes/startup-error.ts'
import { accountSpawnOptions, explainOutput, lastLines } from './cluster.ts'
import { isServerOf, readPidFile, runningServer } from './pid-file.ts'
import type { ClusterLocation } from './location.ts'
import { USE_DATABASE_URL } from './run-as.ts'

/** Port in the socket's file name; the server doesn't listen on TCP. */
export const PORT = 5432

/** Recovery after a crash reads up to `max_wal_size`; a slow disk may take this long. */
const READY_WITHIN_MS = 120_000
const REMAINS_WITHIN_MS = 15_000
const POLL_MS = 5
const LOG_BYTES = 5_000_000

/** Settings of one start, in addition to the permanent ones. */
export type ServerSettings = Readonly<Record<string, string>>

/**
 * Settings of the built-in server: small when idle, no network access, and no statements in its log (they could contain
 * secrets). Passed on the command line, so that an update of Easydash applies new ones.
 */
function serverArguments(location: ClusterLocation, more: ServerSettings): string[] {
  const settings: Record<string, string> = {
    listen_addresses: '',
    unix_socket_directories: quoted(location.socketDir),
    unix_socket_permissions: '0700',
    port: String(PORT),
    max_connections: '60',
    shared_buffers: '48MB',
    huge_pages: 'off',
    jit: 'off',
    io_method: 'sync',
    max_worker_processes: '2',
    max_parallel_workers: '0',
    max_parallel_workers_per_gather: '0',
    max_parallel_maintenance_workers: '0',
    max_logical_replication_workers: '0',
    wal_level: 'minimal',
    max_wal_senders: '0',
    min_wal_size: '48MB',
    max_wal_size: '256MB',
    autovacuum_worker_slots: '2',
    autovacuum_max_workers: '1',
    timezone: 'UTC',
    log_timezone: 'UTC',
    logging_collector: 'off',
    log_min_messages: 'warning',
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    log_checkpoints: 'off',
    idle_in_transaction_session_timeout: '60s',
    client_connection_check_interval: '10s',
    password_encryption: 'scram-sha-256',
    ...more,
  }
  return ['-D', location.cluster, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
}

/** Quotes a path for a list setting, so that it may contain commas and spaces. */
const quoted = (path: string) => `"${path.replaceAll('"', '""')}"`

interface ServerLog {
  fd: number
  from: number
  path: string
}

function openServerLog(dataDir: string): ServerLog {
  const path = join(dataDir, 'logs', 'postgres.log')
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > LOG_BYTES) renameSync(path, `${path}.1`)
  const fd = openSync(path, 'a+', 0o600)
  return { fd, path, from: fstatSync(fd).size }
}

function outputSince(log: ServerLog): string {
  const size = fstatSync(log.fd).size
  const data = Buffer.alloc(Math.min(size - log.from, 20_000))
  readSync(log.fd, data, 0, data.length, size - data.length)
  return data.toString('utf8')
}

/** A server this process can wait for and stop; `exited` settles once it is gone. */
export interface ServerProcess {
  readonly pid: number
  readonly socketDir: string
  readonly exited: Promise<void>
}

/**
 * Removes a pid file that would make PostgreSQL refuse to start: its process exists but is not PostgreSQL (the id was reused
 * after a machine crash), or it was killed and its parent, a container's process 1 for example, doesn't reap it. Other
 * processes of a killed server are noticed by PostgreSQL without the file, by their shared memory.
 */
async function removeStalePidFile(location: ClusterLocation): Promise<void> {
  const file = await readPidFile(location.cluster)
  if (!file) return
  if (isZombie(file.pid)) await rm(join(location.cluster, 'postmaster.pid'), { force: true })
  else if (!isAlive(file.pid)) return
  else if (processName(file.pid) !== null && !(await isServerOf(location.cluster, file.pid)))
    await rm(join(location.cluster, 'postmaster.pid'), { force: true })
}

/** Starts PostgreSQL in its own session and resolves when it accepts connections. Throws `StartupError` with its reason. */
export async function spawnServer(
  location: ClusterLocation,
  dataDir: string,
  settings: ServerSettings = {},
): Promise<ServerProcess> {
  await removeStalePidFile(location)
  const log = openServerLog(dataDir)
  try {
    const child = spawn(join(location.binaries.native, 'bin', 'postgres'), serverArguments(location, settings), {
      ...accountSpawnOptions(location),
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    })
    await once(child, 'spawn')
    child.unref()
    let hasExited = false
    const exited = once(child, 'exit').then(() => {
      hasExited = true
    })
    const deadline = Date.now() + READY_WITHIN_MS
    for (;;) {
      const file = await readPidFile(location.cluster)
      if (file && file.pid === child.pid && file.status === 'ready')
        return { pid: file.pid, socketDir: location.socketDir, exited }
      if (hasExited) {
        const output = outputSince(log)
        if (STILL_ENDING.test(output)) throw new ServerStillStoppingError()
        throw (
          explainOutput(output, location) ??
          unexpected(`The database stopped while starting: ${lastLines(output)}`, log)
        )
      }
      if (Date.now() > deadline) {
        child.kill('SIGQUIT')
        throw unexpected(`The database did not get ready within ${READY_WITHIN_MS / 1000} seconds.`, log)
      }
      await sleep(POLL_MS)
    }
  } catch (error) {
    if (error instanceof StartupError) throw error
    throw unexpected(`The database program cannot be started (${systemErrorCode(error) || String(error)}).`, log, error)
  } finally {
    closeSync(log.fd)
  }
}

/** PostgreSQL's message while processes of its predecessor still use the files. */
const STILL_ENDING = /pre-existing shared memory block/

class ServerStillStoppingError extends StartupError {
  constructor() {
    super(
      'Processes of an earlier database server are still ending.',
      'Wait a moment and start again; if it stays, end the processes named "postgres" of this data folder.',
    )
  }
}

function unexpected(message: string, log: ServerLog, cause?: unknown): StartupError {
  return new StartupError(message, `Look into ${log.path}, or ${USE_DATABASE_URL}.`, cause)
}

/**
 * Like `spawnServer`, but waits for leftover processes of a killed server: a busy one takes a moment to notice, and the
 * files are in use until then.
 */
export async function spawnWithRetry(
  location: ClusterLocation,
  dataDir: string,
  settings: ServerSettings = {},
): Promise<ServerProcess> {
  const deadline = Date.now() + REMAINS_WITHIN_MS
  for (;;) {
    try {
      return await spawnServer(location, dataDir, settings)
    } catch (error) {
      if (!(error instanceof ServerStillStoppingError) || Date.now() > deadline) throw error
    }
    await sleep(100)
  }
}

/** Takes over a server that another process started; null if none is running (any more). Waits while it starts or stops. */
export async function adoptServer(location: ClusterLocation): Promise<ServerProcess | null> {
  const deadline = Date.now() + READY_WITHIN_MS
  for (;;) {
    const file = await runningServer(location.cluster)
    if (!file) return null
    if (file.status === 'ready') return { pid: file.pid, socketDir: file.socketDir, exited: watch(file.pid) }
    if (Date.now() > deadline) {
      throw new StartupError(
        `A database process (${file.pid}) runs on ${location.cluster} but takes no connections.`,
        `End it with "kill -INT ${file.pid}" and start again.`,
      )
    }
    await sleep(POLL_MS)
  }
}

/** Settles when a process that is not our child is gone. */
async function watch(pid: number): Promise<void> {
  while (isAlive(pid)) await sleep(500, undefined, { ref: false })
}

/**
 * Stops a server: fast shutdown (SIGINT), after 6 s immediate shutdown (SIGQUIT, recovers at the next start), after 2 more
 * SIGKILL. Resolves when the process is gone.
 */
export async function stopServer(
  server: Pick<ServerProcess, 'pid'>,
  signalTimeoutsMs: readonly [number, number, number] = [6000, 2000, 2000],
): Promise<void> {
  const signals = ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const
  for (const [index, signal] of signals.entries()) {
    try {
      process.kill(server.pid, signal)
    } catch (error) {
      if (systemErrorCode(error) === 'ESRCH') return
      throw error
    }
    const deadline = Date.now() + (signalTimeoutsMs[index] ?? 0)
    while (Date.now() < deadline) {
      if (!isAlive(server.pid)) return
      await sleep(POLL_MS)
    }
  }
}
