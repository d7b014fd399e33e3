import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { Transform, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { asAccount, programEnv, type MysqlAccount } from './mysql-folder.ts'
import type { MysqlPrograms } from './find-mysql.ts'

/** Where a server listens. */
export type MysqlAddress = { readonly path: string } | { readonly host: string; readonly port: number }

/** Everything a client program needs to connect. */
export interface MysqlLogin {
  readonly programs: Pick<MysqlPrograms, 'client' | 'dump'>
  /** The account the client program runs as. */
  readonly account: MysqlAccount
  readonly address: MysqlAddress
  readonly user: string
  readonly password: string
}

/** Longest output of statements, in bytes. */
const maxOutputBytes = 4 * 1024 ** 2
const maxErrorLength = 2_000

/** Statements of our own take milliseconds; rolling back what a site left takes longer. */
const defaultTimeoutMs = 60_000
/** Seconds to wait for locks that a site holds. MariaDB would wait a day for those of tables (mariadb.com/kb/en/metadata-locking). */
const lockWaitSeconds = 20
/** A dump that writes nothing for this long waits for a lock. */
const defaultStallMs = 120_000
const lockWaits = `SET SESSION lock_wait_timeout = ${lockWaitSeconds}, innodb_lock_wait_timeout = ${lockWaitSeconds}`

/**
 * What was in a database goes back into it: InnoDB of MariaDB refuses formats of rows in strict mode that it took without, and ignores
 * them then. MySQL allows the setting to few.
 */
const loadSettings = `${lockWaits} /*M! , innodb_strict_mode = 0 */`

/** An error the server or the client program reported. */
export class MysqlError extends Error {
  /** The server's error number, e.g. 1045 for a rejected password; null if it reported none. */
  readonly code: number | null
  constructor(message: string) {
    super(message)
    this.name = 'MysqlError'
    const code = /^ERROR (\d{4,5})\b/m.exec(message)?.[1]
    this.code = code === undefined ? null : Number(code)
  }
}

/** The server did not finish in time: it is busy, or a site holds a lock. */
export class MysqlTimeoutError extends Error {
  constructor() {
    super('The database server did not answer in time.')
    this.name = 'MysqlTimeoutError'
  }
}

/** A dump is larger than allowed. Nothing of it is left. */
export class MysqlDumpTooLargeError extends Error {
  constructor(maxBytes: number) {
    super(`The dump has more than ${maxBytes} bytes.`)
    this.name = 'MysqlDumpTooLargeError'
  }
}

/**
 * Runs statements in one session and returns the rows of all results, each with its columns as text. Values must not contain
 * tabs or line breaks. Waits for the locks of others for 20 seconds at most (then: error 1205).
 * @param timeoutMs then it is given up; a server that waits for a lock notices that within a second
 * @throws {MysqlError | MysqlTimeoutError}
 */
export async function runSql(
  login: MysqlLogin,
  sql: string,
  given?: AbortSignal,
  timeoutMs = defaultTimeoutMs,
): Promise<string[][]> {
  const timeout = AbortSignal.timeout(timeoutMs)
  const signal = given === undefined ? timeout : AbortSignal.any([given, timeout])
  const options = [...clientOptions, '--batch', '--skip-column-names', '--raw']
  const client = open(login, login.programs.client, options, signal)
  let output = ''
  client.child.stdout.setEncoding('utf8')
  client.child.stdout.on('data', (text: string) => {
    output += text
    if (output.length > maxOutputBytes) client.child.kill('SIGKILL')
  })
  client.child.stdin.end(`${lockWaits};\n${sql}`)
  try {
    await client.done
  } catch (error) {
    if (timeout.aborted && given?.aborted !== true) throw new MysqlTimeoutError()
    throw error
  }
  return output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('\t'))
}

/**
 * Writes a consistent dump of a database's tables, views and triggers into a new file. If it fails, no file is left. Dumps of
 * the same content are the same.
 * @param to.maxBytes the largest file; views and data of a site must not fill the disk
 * @param to.stallMs how long it may write nothing
 * @throws {MysqlError | MysqlTimeoutError | MysqlDumpTooLargeError}
 */
export async function dumpDatabase(login: MysqlLogin, database: string, to: DumpTarget): Promise<void> {
  const options = [
    '--single-transaction',
    '--quick',
    '--skip-lock-tables',
    '--no-tablespaces',
    '--hex-blob',
    '--skip-dump-date',
    // Otherwise MySQL's wants to flush all tables of the server, which the reader of one database may not ("loose": MariaDB's has no such option).
    '--loose-set-gtid-purged=OFF',
  ]
  const stop = new AbortController()
  const signal = AbortSignal.any([to.signal, stop.signal])
  const { only, tables = [] } = to
  const args = [...options, ...(only === undefined ? [] : onlyOptions[only]), '--default-character-set=utf8mb4']
  // What follows is no option, whatever it is called.
  const dump = open(login, login.programs.dump, [...args, '--', database, ...tables], signal)
  dump.child.stdin.end()
  const stall = setTimeout(() => stop.abort(new MysqlTimeoutError()), to.stallMs ?? defaultStallMs)
  let bytes = 0
  const counted = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      stall.refresh()
      bytes += chunk.length
      if (bytes <= to.maxBytes) return done(null, chunk)
      stop.abort(new MysqlDumpTooLargeError(to.maxBytes))
      return done()
    },
  })
  const file = createWriteStream(to.path, { flags: 'wx', mode: 0o600 })
  let isOurs = false
  file.once('open', () => {
    isOurs = true
  })
  const [piped, done] = await Promise.allSettled([
    pipeline([dump.child.stdout, counted, ...(to.through ?? []), file], { signal }),
    dump.done,
  ])
  clearTimeout(stall)
  if (piped.status === 'fulfilled' && done.status === 'fulfilled') return
  if (isOurs) await rm(to.path, { force: true })
  to.signal.throwIfAborted()
  stop.signal.throwIfAborted()
  // The program knows why; the end of its output is what follows from it.
  throw done.status === 'rejected' ? done.reason : (piped as PromiseRejectedResult).reason
}

/** Where a dump goes. */
export interface DumpTarget {
  readonly path: string
  readonly signal: AbortSignal
  readonly maxBytes: number
  readonly stallMs?: number
  /** What the dump passes on its way into the file. */
  readonly through?: readonly Transform[]
  /** Leaves out tables and their rows: triggers, which replace others of their names, or views, which have to be named. */
  readonly only?: keyof typeof onlyOptions
  /** Names of tables or views; default: all. */
  readonly tables?: readonly string[]
}

const onlyOptions = {
  triggers: ['--no-data', '--no-create-info', '--add-drop-trigger'],
  views: ['--no-data', '--skip-triggers'],
} as const

/**
 * Executes statements in a database. Log in as a user with rights on that database only: they may come from anywhere.
 * @throws {MysqlError} or the error of the stream with the statements
 */
export async function loadStatements(
  login: MysqlLogin,
  database: string,
  { content, signal }: { readonly content: Readable; readonly signal: AbortSignal },
): Promise<void> {
  const client = open(
    login,
    login.programs.client,
    [...clientOptions, `--init-command=${loadSettings}`, database],
    signal,
  )
  client.child.stdout.resume()
  await Promise.all([
    // A rejected statement ends the client, which reports it.
    pipeline(content, client.child.stdin).catch(() => undefined),
    client.done,
  ])
  // The client takes what there was for everything.
  if (content.errored !== null) throw content.errored
}

/**
 * `--binary-mode` turns off the client's own commands, which could start programs. Without `--local-infile=0` a statement of a
 * site, or the server, could have the client send it files of this machine.
 */
const clientOptions = ['--binary-mode', '--local-infile=0', '--default-character-set=utf8mb4']

function open(login: MysqlLogin, program: string, options: readonly string[], signal: AbortSignal | undefined) {
  const { address } = login
  const target =
    'path' in address
      ? ['--protocol=socket', `--socket=${address.path}`]
      : ['--protocol=tcp', `--host=${address.host}`, `--port=${address.port}`]
  const child = spawn(program, ['--no-defaults', ...target, `--user=${login.user}`, ...options], {
    ...asAccount(login.account),
    // Not an argument, which every user of the machine could read.
    env: { ...programEnv, MYSQL_PWD: login.password },
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(signal === undefined ? {} : { signal, killSignal: 'SIGKILL' as const }),
  })
  child.stdin.on('error', () => undefined)
  let errors = ''
  child.stderr.setEncoding('utf8')
  child.stderr.on('data', (text: string) => {
    if (errors.length < maxErrorLength) errors = (errors + text).slice(0, maxErrorLength)
  })
  const done = once(child, 'close').then(([code]: unknown[]) => {
    signal?.throwIfAborted()
    if (code !== 0) throw new MysqlError(errors.trim() || `The program ended with code ${String(code)}.`)
  })
  return { child, done }
}
