import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { kyselyPool } from './kysely-pool.ts'
import { createListener, type Listen } from './listener.ts'
import { sentWithNext } from './prepared-statements.ts'
import type { Log } from '../log/log.ts'
import type { PostgresConnection } from '../postgres/postgres.ts'
import { StartupError } from '../processes/startup-error.ts'

/** Any table, any column: names and values come from doctypes, not from the compiler. */
export type AnySchema = Record<string, Record<string, unknown>>

/** A query builder, inside or outside a transaction. */
export type Db = Kysely<AnySchema>

/** The database interface used by the rest of the program. */
export interface Database {
  readonly db: Db
  /**
   * Two more connections, for short statements that must not wait for a connection of `db`: those that transactions of `db`
   * themselves wait for, and the leases of the schedule, all of which are looked at together at start.
   */
  readonly reserved: Db
  /** The connections behind `db`; `statement_timeout` applies to each of their statements. */
  readonly pool: pg.Pool
  /** Settings for additional connections (libraries with their own pool, copying, migrations). No statement timeout. */
  readonly connectionConfig: Readonly<pg.ClientConfig>
  /**
   * Calls `fn` for each notification of the channel, over one dedicated connection that reconnects automatically. Resolves
   * when the server is listening; the returned function unsubscribes.
   */
  listen: Listen
  /** Sends a notification when the transaction commits; never when it rolls back. At most 7999 bytes. */
  notify(trx: Db, channel: string, payload: string): Promise<void>
  close(): Promise<void>
}

/** Options for opening a database. */
export interface DatabaseOptions {
  /** A URL (`DATABASE_URL`) or the connection of the built-in server. */
  connection: string | PostgresConnection
  log: Log
  /** Size of the pool. Default 20 (the built-in server allows 60, and more with further web processes). */
  poolSize?: number
  /** Milliseconds after which the server ends a statement. Default 5000; 0 for none. */
  statementTimeoutMs?: number
  /**
   * Milliseconds a statement waits for a lock. Default 4000, so that a lock wait is reported as such and not as a timeout.
   */
  lockTimeoutMs?: number
  /** Application name in the server's connection list. Default `easydash`. */
  applicationName?: string
}

/** Oldest server version with every feature we use. */
const OLDEST = 15
const LONGEST_PAYLOAD = 7999

const OID = { int8: 20, date: 1082, timestamp: 1114, numeric: 1700 } as const

/** Frappe's timestamp format: `YYYY-MM-DD HH:MM:SS.ffffff`, as PostgreSQL writes it but with all six digits. */
export function paddedTimestamp(text: string): string {
  if (!/^\d{4,}-\d\d-\d\d \d\d:\d\d:\d\d/.test(text)) return text
  const [whole = '', fraction = ''] = text.split('.')
  return `${whole}.${fraction.padEnd(6, '0')}`
}

const parsers: Record<number, (text: string) => unknown> = {
  [OID.int8]: Number,
  [OID.numeric]: Number,
  [OID.date]: (text) => text,
  [OID.timestamp]: paddedTimestamp,
}

/** Values as in JSON: numbers, strings, objects. `pg`'s own parsers do the rest. */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    const parser = format === 'binary' ? undefined : parsers[oid]
    return parser ?? pg.types.getTypeParser(oid, format as 'text')
  }) as pg.CustomTypesConfig['getTypeParser'],
}

const SESSION = '-c timezone=UTC -c datestyle=ISO -c intervalstyle=iso_8601'

/** Connection settings, with our session options after those of a URL. */
function clientConfig(options: DatabaseOptions): pg.ClientConfig {
  const common = {
    types,
    application_name: options.applicationName ?? 'easydash',
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
  }
  if (typeof options.connection !== 'string') return { ...options.connection, ...common, options: SESSION }
  const url = new URL(options.connection)
  url.searchParams.set('options', `${url.searchParams.get('options') ?? ''} ${SESSION}`.trim())
  return { connectionString: url.href, ...common }
}

/** Opens the pool; connects on first use. `checkServer` verifies that the server responds and is new enough. */
export function openDatabase(options: DatabaseOptions): Database {
  const { log } = options
  const connectionConfig = clientConfig(options)
  const openPool = (max: number) => {
    const opened = new pg.Pool({
      ...connectionConfig,
      max,
      idleTimeoutMillis: 30_000,
      statement_timeout: options.statementTimeoutMs ?? 5000,
      lock_timeout: options.lockTimeoutMs ?? 4000,
      idle_in_transaction_session_timeout: 60_000,
      pipeline: true,
    })
    // The pool replaces a connection that breaks while idle (server restarted).
    opened.on('error', (error) => log.warn('An idle database connection was lost', { error }))
    // Emitted for a connection that breaks between two statements of its user; the next statement fails anyway.
    opened.on('connect', (client) => {
      client.on('error', (error) => log.warn('A database connection was lost', { error }))
    })
    return opened
  }
  const pool = openPool(options.poolSize ?? 20)
  const reservedPool = openPool(2)
  const db = new Kysely<AnySchema>({ dialect: new PostgresDialect({ pool: kyselyPool(pool) }) })
  const reserved = new Kysely<AnySchema>({
    dialect: new PostgresDialect({ pool: kyselyPool(reservedPool) }),
  })
  const listener = createListener(connectionConfig, log)
  let closing: Promise<void> | null = null
  return {
    db,
    reserved,
    pool,
    connectionConfig,
    listen: listener.listen,
    async notify(trx, channel, payload) {
      const bytes = Buffer.byteLength(payload)
      if (bytes > LONGEST_PAYLOAD)
        throw new RangeError(`A notification of ${bytes} bytes is too long (at most ${LONGEST_PAYLOAD}).`)
      await sql`${sentWithNext}select pg_notify(${channel}, ${payload})`.execute(trx)
    },
    close() {
      closing ??= (async () => {
        await listener.close()
        await Promise.all([db.destroy(), reserved.destroy()])
        // Kysely ends a pool only if it used it.
        for (const one of [pool, reservedPool]) if (!one.ending) await one.end()
      })()
      return closing
    },
  }
}

/** Next step for a user whose own server has a problem. */
const CHECK_URL = 'Check DATABASE_URL and that the server runs, then start again.'

/** Checks that the server is reachable and runs PostgreSQL 15 or newer. Throws `StartupError`. */
export async function checkServer(database: Database): Promise<void> {
  let version: number
  try {
    const { rows } = await database.pool.query<{ version: string }>(
      "select current_setting('server_version_num') as version",
    )
    version = Math.floor(Number(rows[0]?.version) / 10_000)
  } catch (error) {
    throw new StartupError(`The database cannot be reached: ${reason(error)}.`, CHECK_URL, error)
  }
  if (version < OLDEST) {
    throw new StartupError(
      `The database is PostgreSQL ${version}; Easydash needs version ${OLDEST} or newer.`,
      'Update that server, name another one in DATABASE_URL, or remove DATABASE_URL to use the built-in database.',
    )
  }
}

function reason(error: unknown): string {
  // A name with several addresses fails with one error per address and an empty message.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error
  return (first instanceof Error ? first.message : String(first)).replace(/\.$/, '')
}
