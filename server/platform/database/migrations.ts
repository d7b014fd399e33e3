import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import type { AnySchema, Database, Db } from './database.ts'
import type { Log } from '../log/log.ts'
import { platformTables } from './platform-tables.ts'
import { StartupError } from '../processes/startup-error.ts'

/** Everything needed to migrate the database to the state this program needs. */
export interface MigrationPlan {
  /** Creates missing tables, columns and indexes from the doctypes. Runs at each start and must be idempotent. */
  additive: (trx: Db) => Promise<void>
  /** Incremented with each release that changes the database; a program refuses a database with a higher number. */
  schemaVersion: number
  log?: Log
}

/** Arbitrary lock id shared by all processes. */
const LOCK = 4_036_817_215

/**
 * Migrates the database in one transaction, one process at a time (others wait). Throws `StartupError` if the database
 * belongs to a newer release; nothing is changed then.
 */
export async function runMigrations(database: Pick<Database, 'connectionConfig'>, plan: MigrationPlan): Promise<void> {
  // A dedicated connection: no statement timeout, and the lock is always released with it.
  const pool = new pg.Pool({ ...database.connectionConfig, max: 1, idleTimeoutMillis: 0 })
  pool.on('error', (error) => plan.log?.warn('The database connection was lost during the migration', { error }))
  const db = new Kysely<AnySchema>({ dialect: new PostgresDialect({ pool }) })
  try {
    await db.transaction().execute(async (trx) => {
      await sql`select pg_advisory_xact_lock(${sql.lit(LOCK)})`.execute(trx)
      await migrate(trx, plan)
    })
  } finally {
    await db.destroy()
  }
}

async function migrate(trx: Db, plan: MigrationPlan): Promise<void> {
  const found = (await exists(trx)) ? await schemaVersionOf(trx) : null
  if (found !== null && found > plan.schemaVersion) {
    throw new StartupError(
      `The database was used by a newer Easydash (schema ${found}); this one knows schema ${plan.schemaVersion} at most.`,
      'Start the newer release again, or put back a copy of the data folder made before the update.',
    )
  }
  await platformTables(trx)
  await plan.additive(trx)
  if (found === plan.schemaVersion) return
  await sql`create table if not exists easydash_schema (version integer not null)`.execute(trx)
  await trx.deleteFrom('easydash_schema').execute()
  await trx.insertInto('easydash_schema').values({ version: plan.schemaVersion }).execute()
}

async function exists(db: Db): Promise<boolean> {
  const { rows } = await sql<{
    found: boolean
  }>`select to_regclass('easydash_schema') is not null as found`.execute(db)
  return rows[0]?.found === true
}

/** Schema version of the database; null if it was never migrated. */
async function schemaVersionOf(db: Db): Promise<number | null> {
  const row = await db.selectFrom('easydash_schema').select('version').executeTakeFirst()
  return row === undefined ? null : Number(row['version'])
}

/** Whether the database has been migrated and is not newer than this program; for the readiness check. */
export async function schemaIsCurrent(db: Db, schemaVersion: number): Promise<boolean> {
  return (await exists(db)) && (await schemaVersionOf(db)) === schemaVersion
}
