import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  realpathSync,
  renameSync,
  statSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { registerSecret } from '../log/redact-text.ts'
import { readFileIfExists } from '../files/read-file-if-exists.ts'
import { withoutInheritedDescriptors } from '../processes/inherited-descriptors.ts'
import { isAlive, processFolder, processName } from '../processes/processes.ts'
import { newToken } from '../secrets/tokens.ts'
import type { MysqlServerProgram } from './find-mysql.ts'
import { removeInitFiles, writeInitFile } from './init-file.ts'
import { asAccount, createMysqlFolder, programEnv, type MysqlAccount, type MysqlFolder } from './mysql-folder.ts'
import { limitArguments } from './server-limits.ts'

/** Recovery after a crash may take this long on a slow disk. */
const readyWithinMs = 120_000
/** A shutdown writes changed pages to disk; then it is killed, and recovers at the next start. */
const stopWithinMs = 6_000
const pollMs = 10
const logBytes = 5_000_000
const defaultSiteConnections = 160
/** More than we open at once. Sites can't take them: each has a limit, and together they stay below the number of theirs. */
const reservedConnections = 40

/** A running server. */
export interface MysqlServer {
  readonly pid: number
  /** Path of its unix socket; it doesn't listen on the network. */
  readonly socket: string
  /** Password of `root`, new at each start and stored nowhere. */
  readonly password: string
  readonly exited: Promise<void>
}

/** Options of `startMysqlServer`. */
export interface MysqlServerOptions {
  readonly program: MysqlServerProgram
  readonly folder: MysqlFolder
  readonly account: MysqlAccount
  readonly socket: string
  readonly logFile: string
  /** Connections of all sites at once; ours come on top. Default: 160. */
  readonly siteConnections?: number | undefined
}

/**
 * Runs the server and ends it when this process is gone, however that ended: then the other end of descriptor 3 closes. Its
 * arguments are positional, so nothing in them is interpreted.
 */
const guard =
  '"$@" 3<&- & server=$!; { read -r _ <&3; kill -TERM "$server"; } & watch=$!; exec 3<&-; wait "$server"; kill "$watch" 2>/dev/null'

/**
 * Starts the server of a folder, which is created on first use, and resolves when it accepts connections. One that a killed
 * process left behind is ended first.
 * @throws {Error} with the end of its log if it does not start
 */
export async function startMysqlServer(options: MysqlServerOptions): Promise<MysqlServer> {
  const { program, folder, account, socket } = options
  const pidFile = join(folder.home, 'server.pid')
  // First: whatever runs as its account must not change the folders meanwhile.
  await endLeftover(pidFile, folder)
  await createMysqlFolder(program, folder, account)
  await rm(pidFile, { force: true })
  await rm(socket, { force: true })
  const password = newToken()
  registerSecret(password)
  const log = openServerLog(options.logFile)
  try {
    const initFile = await writeInitFile(folder.home, initStatements(password), account)
    const child = withoutInheritedDescriptors(['ignore', log.fd, log.fd, 'pipe'], (stdio) =>
      spawn('/bin/sh', ['-c', guard, 'sh', program.path, ...serverArguments(options, pidFile, initFile)], {
        ...asAccount(account),
        env: programEnv,
        detached: true,
        stdio,
      }),
    )
    return { ...(await untilReady(child, pidFile, log, options)), socket, password }
  } finally {
    closeSync(log.fd)
    await removeInitFiles(folder.home)
  }
}

/**
 * Executed before the first connection. Connections through the socket come from `localhost` only; the other accounts of a
 * new data folder have no password.
 */
function initStatements(password: string): string {
  return [
    `ALTER USER 'root'@'localhost' IDENTIFIED BY '${password}'`,
    ...["''@'localhost'", "'root'@'127.0.0.1'", "'root'@'::1'"].map((account) => `DROP USER IF EXISTS ${account}`),
    '',
  ].join(';\n')
}

/** Small when idle, without network, and closed to everything a hosted site has no use for. */
function serverArguments(
  { program, folder, socket, siteConnections = defaultSiteConnections }: MysqlServerOptions,
  pidFile: string,
  initFile: string,
): readonly string[] {
  const both = [
    '--no-defaults',
    `--datadir=${folder.data}`,
    `--socket=${socket}`,
    `--pid-file=${pidFile}`,
    `--init-file=${initFile}`,
    `--secure-file-priv=${folder.files}`,
    '--skip-networking',
    '--skip-name-resolve',
    '--skip-log-bin',
    '--local-infile=0',
    '--event-scheduler=OFF',
    '--performance-schema=OFF',
    '--character-set-server=utf8mb4',
    `--tmpdir=${folder.temporary}`,
    `--max-connections=${siteConnections + reservedConnections}`,
    '--innodb-buffer-pool-size=64M',
    '--innodb-file-per-table=1',
    ...limitArguments(program),
  ]
  // Otherwise a site that connects through us as "root" would be let in, because we run as that user.
  return program.product === 'MariaDB'
    ? [...both, '--unix-socket=OFF', '--symbolic-links=0', '--innodb-log-file-size=16M']
    : [...both, '--mysqlx=OFF']
}

async function untilReady(
  child: ChildProcess,
  pidFile: string,
  log: ServerLog,
  { program, socket, logFile }: MysqlServerOptions,
): Promise<Pick<MysqlServer, 'pid' | 'exited'>> {
  await once(child, 'spawn')
  child.unref()
  const pipe = child.stdio[3]
  // Kept open as long as this process lives, without keeping it alive.
  if (pipe !== null && pipe !== undefined && 'unref' in pipe && typeof pipe.unref === 'function') pipe.unref()
  pipe?.on('error', () => undefined)
  let hasExited = false
  const exited = once(child, 'exit').then(() => {
    hasExited = true
  })
  const deadline = performance.now() + readyWithinMs
  for (;;) {
    const pid = await readPid(pidFile)
    if (pid !== null && existsSync(socket) && (await greets(socket))) return { pid, exited }
    if (hasExited)
      throw new Error(`${program.product} stopped while starting: ${lastOutput(log)} Look into ${logFile}.`)
    if (performance.now() > deadline) {
      child.kill('SIGKILL')
      throw new Error(
        `${program.product} did not get ready within ${readyWithinMs / 1000} seconds. Look into ${logFile}.`,
      )
    }
    await sleep(pollMs)
  }
}

/**
 * Whether the server takes connections: its socket exists earlier, but it greets only after its initial statements. A
 * greeting starts with the protocol's version, which is 10 (dev.mysql.com, "Protocol::HandshakeV10").
 */
function greets(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(socket)
    connection.once('data', (packet: Buffer) => {
      resolve(packet[4] === 10)
      connection.destroy()
    })
    connection.once('error', () => resolve(false))
    connection.once('close', () => resolve(false))
    connection.setTimeout(1_000, () => connection.destroy())
  })
}

/** Stops a server and resolves when its process is gone. */
export async function stopMysqlServer({ pid }: Pick<MysqlServer, 'pid'>): Promise<void> {
  for (const [signal, withinMs] of [
    ['SIGTERM', stopWithinMs],
    ['SIGKILL', 2_000],
  ] as const) {
    if (!isAlive(pid)) return
    process.kill(pid, signal)
    const deadline = performance.now() + withinMs
    while (isAlive(pid) && performance.now() < deadline) await sleep(pollMs)
  }
}

/** Ends a server that uses this folder: its dashboard was killed, and it may still be shutting down. */
async function endLeftover(pidFile: string, folder: MysqlFolder): Promise<void> {
  const pid = await readPid(pidFile)
  if (pid === null || !isAlive(pid) || !['mariadbd', 'mysqld'].includes(processName(pid) ?? '')) return
  // A server's working directory is its data folder; the id may belong to another one by now.
  const current = processFolder(pid)
  if (current === null || (existsSync(folder.data) && current === realpathSync(folder.data)))
    await stopMysqlServer({ pid })
}

async function readPid(pidFile: string): Promise<number | null> {
  const pid = Number((await readFileIfExists(pidFile))?.trim() ?? Number.NaN)
  return Number.isInteger(pid) && pid > 1 ? pid : null
}

interface ServerLog {
  fd: number
  from: number
}

function openServerLog(path: string): ServerLog {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > logBytes) renameSync(path, `${path}.1`)
  const fd = openSync(path, 'a+', 0o600)
  return { fd, from: fstatSync(fd).size }
}

/** The last line the server wrote, for an error. */
function lastOutput({ fd, from }: ServerLog): string {
  const { size } = fstatSync(fd)
  const data = Buffer.alloc(Math.min(size - from, 4_000))
  readSync(fd, data, 0, data.length, size - data.length)
  const lines = data.toString('utf8').trim().split('\n')
  return (lines.findLast((line) => line.includes('[ERROR]')) ?? lines.at(-1) ?? '').slice(0, 500)
}
