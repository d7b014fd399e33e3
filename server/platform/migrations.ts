import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import type { AnySchema, Database, Db } from './database.ts'
import type { Log } from './log.ts'
import { platformTables } from './platform-tables.ts'
import { StartupError } from './startup-error.ts'

/** One written change of the database that could not follow from a description: a rename, a deletion, moved data. */
export interface Migration {
  /** Unique for ever, sorts in order, e.g. `0003-rename-site-slug`. */
  readonly id: string
  run(trx: Db): Promise<void>
}

/** What brings the database to the state this program needs. */
export interface MigrationPlan {
  /** Written migrations in order. A new database counts them as done: it begins in today's state. */
  written: readonly Migration[]
  /** Creates what is missing (tables, columns, indexes) from the descriptions. Runs at each start, must change nothing twice. */
  additive: (trx: Db) => Promise<void>
  /** Grows by one with each release that changes the database; a program refuses a database with a higher one. */
  schemaVersion: number
  log?: Log
}

/** Any number all our processes agree on. */
const LOCK = 4_036_817_215

/**
 * Brings the database up to date, one process at a time (others wait), each migration in a transaction of its own.
 * Throws `StartupError` when the database belongs to a newer release; nothing is changed then.
 */
export async function runMigrations(database: Pick<Database, 'connectionConfig'>, plan: MigrationPlan): Promise<void> {
  checkOrder(plan.written)
  // A connection of its own: no statement timeout, and the lock goes with it whatever happens.
  const pool = new pg.Pool({ ...database.connectionConfig, max: 1, idleTimeoutMillis: 0 })
  pool.on('error', (error) => plan.log?.warn('The database connection was lost during the migration', { error }))
  const db = new Kysely<AnySchema>({ dialect: new PostgresDialect({ pool }) })
  try {
    await db.connection().execute(async (connection) => {
      await sql`select pg_advisory_lock(${sql.lit(LOCK)})`.execute(connection)
      await migrate(connection, plan)
    })
  } finally {
    await db.destroy()
  }
}

async function migrate(db: Db, plan: MigrationPlan): Promise<void> {
  await sql`create table if not exists easydash_schema (id text primary key, version integer, applied timestamp not null default (now() at time zone 'utc'))`.execute(
    db,
  )
  const rows = await db.selectFrom('easydash_schema').selectAll().execute()
  const current = rows.find((row) => row['id'] === 'version')
  const isNew = current === undefined
  const version = Number(current?.['version'] ?? 0)
  if (version > plan.schemaVersion) {
    throw new StartupError(
      `The database was used by a newer Easydash (schema ${version}); this one knows schema ${plan.schemaVersion} at most.`,
      'Start the newer release again, or put back a copy of the data folder made before the update.',
    )
  }
  const done = new Set(rows.map((row) => row['id']))
  const open = plan.written.filter((migration) => !done.has(migration.id))

  await db.transaction().execute(platformTables)
  for (const migration of isNew ? [] : open) {
    await db.transaction().execute(async (trx) => {
      await migration.run(trx)
      await record(trx, migration.id, null)
    })
    plan.log?.info('Migrated the database', { migration: migration.id })
  }
  await db.transaction().execute(async (trx) => {
    await plan.additive(trx)
    for (const migration of isNew ? open : []) await record(trx, migration.id, null)
    if (version !== plan.schemaVersion) await record(trx, 'version', plan.schemaVersion)
  })
}

async function record(trx: Db, id: string, version: number | null): Promise<void> {
  await trx
    .insertInto('easydash_schema')
    .values({ id, version })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ version, applied: sql`now() at time zone 'utc'` }))
    .execute()
}

function checkOrder(written: readonly Migration[]): void {
  written.forEach(({ id }, index) => {
    const before = written[index - 1]
    if (before && before.id >= id) throw new Error(`Migrations must be sorted by their id: ${before.id}, ${id}`)
  })
}

/** Whether the database has been migrated at least once and is not newer than this program; for the readiness check. */
export async function schemaIsCurrent(db: Db, schemaVersion: number): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`select to_regclass('easydash_schema') is not null as found`.execute(db)
  if (!rows[0]?.found) return false
  const row = await db.selectFrom('easydash_schema').select('version').where('id', '=', 'version').executeTakeFirst()
  return Number(row?.['version'] ?? -1) === schemaVersion
}
