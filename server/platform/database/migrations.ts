import { Kysely, PostgresDialect, sql } from 'kysely'
import { Migrator, type MigrationResult, type MigrationResultSet } from 'kysely/migration'
import pg from 'pg'
import type { AnySchema, Database, Db } from './database.ts'
import type { Log } from '../log/log.ts'
import { platformTables } from './platform-tables.ts'
import { StartupError } from '../processes/startup-error.ts'

/** A handwritten migration for a change that can't be derived from a doctype: a rename, a deletion, moved data. */
export interface Migration {
  /** Unique forever, sorts in order, e.g. `0003-rename-site-slug`. */
  readonly id: string
  run(trx: Db): Promise<void>
}

/** Everything needed to migrate the database to the state this program needs. */
export interface MigrationPlan {
  /** Handwritten migrations in order. A new database marks them as done: it is created in the current state. */
  written: readonly Migration[]
  /** Creates missing tables, columns and indexes from the doctypes. Runs at each start and must be idempotent. */
  additive: (trx: Db) => Promise<void>
  /** Incremented with each release that changes the database; a program refuses a database with a higher number. */
  schemaVersion: number
  log?: Log
}

/** Arbitrary lock id shared by all processes: the lock also covers the additive part, which the Migrator's does not. */
const LOCK = 4_036_817_215

/** Kysely's own tables: the completed migrations, and its lock, which is unused with PostgreSQL. */
const doneTable = 'easydash_migration'
const lockTable = 'easydash_migration_lock'

/**
 * Migrates the database, one process at a time (others wait), each migration in its own transaction. Throws `StartupError`
 * if the database belongs to a newer release; nothing is changed then.
 */
export async function runMigrations(database: Pick<Database, 'connectionConfig'>, plan: MigrationPlan): Promise<void> {
  checkOrder(plan.written)
  // A dedicated connection: no statement timeout, and the lock is always released with it.
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
  const found = await schemaVersionOf(db)
  if (found !== null && found > plan.schemaVersion) {
    throw new StartupError(
      `The database was used by a newer Easydash (schema ${found}); this one knows schema ${plan.schemaVersion} at most.`,
      'Start the newer release again, or put back a copy of the data folder made before the update.',
    )
  }
  await db.transaction().execute(platformTables)
  if (found !== null) {
    await copyEarlierRecords(db, plan.written)
    await runPending(db, plan)
  }
  await db.transaction().execute(async (trx) => {
    await plan.additive(trx)
    if (found === null) await recordAsDone(trx, plan.written)
    if (found !== plan.schemaVersion) await writeVersion(trx, plan.schemaVersion)
  })
}

/** Kysely's Migrator with all migrations that the database may know. */
function migratorOf(db: Db, migrations: readonly Migration[]): Migrator {
  const byId = Object.fromEntries(migrations.map(({ id, run }) => [id, { up: run }]))
  return new Migrator({
    db,
    provider: { getMigrations: () => Promise.resolve(byId) },
    migrationTableName: doneTable,
    migrationLockTableName: lockTable,
  })
}

/** Runs pending migrations, one transaction each: those completed before a failure are kept. */
async function runPending(db: Db, plan: MigrationPlan): Promise<void> {
  const migrator = migratorOf(db, plan.written)
  for (;;) {
    const [done] = resultsOf(await migrator.migrateUp())
    if (done === undefined) return
    plan.log?.info('Migrated the database', { migration: done.migrationName })
  }
}

/** Records migrations without running them. */
async function recordAsDone(trx: Db, migrations: readonly Migration[]): Promise<void> {
  const nothing = () => Promise.resolve()
  const counted = migrations.map(({ id }) => ({ id, run: nothing }))
  resultsOf(await migratorOf(trx, counted).migrateToLatest())
}

/** The Migrator returns a failure instead of throwing it. */
function resultsOf({ error, results = [] }: MigrationResultSet): readonly MigrationResult[] {
  if (error instanceof Error) throw error
  if (error !== undefined) throw new Error('A migration failed.', { cause: error })
  return results
}

/** Earlier releases recorded completed migrations in `easydash_schema`: copied once, while Kysely's table doesn't exist. */
async function copyEarlierRecords(db: Db, written: readonly Migration[]): Promise<void> {
  if (await exists(db, doneTable)) return
  const done = await appliedMigrations(db)
  await db.transaction().execute((trx) =>
    recordAsDone(
      trx,
      written.filter(({ id }) => done.includes(id)),
    ),
  )
}

/** Sorted ids of the completed migrations, including those that a new database marked as done. */
export async function appliedMigrations(db: Db): Promise<string[]> {
  const rows = (await exists(db, doneTable))
    ? await db.selectFrom(doneTable).select('name').$castTo<{ name: string }>().execute()
    : await db
        .selectFrom('easydash_schema')
        .select('id as name')
        .where('id', '!=', 'version')
        .$castTo<{ name: string }>()
        .execute()
  return rows.map(({ name }) => name).toSorted()
}

async function exists(db: Db, table: string): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`select to_regclass(${table}) is not null as found`.execute(db)
  return rows[0]?.found === true
}

/** Schema version of the database; null if it was never migrated. */
async function schemaVersionOf(db: Db): Promise<number | null> {
  const row = await db.selectFrom('easydash_schema').select('version').where('id', '=', 'version').executeTakeFirst()
  return row === undefined ? null : Number(row['version'])
}

async function writeVersion(trx: Db, version: number): Promise<void> {
  await trx
    .insertInto('easydash_schema')
    .values({ id: 'version', version })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ version, applied: sql`now() at time zone 'utc'` }))
    .execute()
}

function checkOrder(written: readonly Migration[]): void {
  written.forEach(({ id }, index) => {
    const before = written[index - 1]
    if (before && before.id >= id) throw new Error(`Migrations must be sorted by their id: ${before.id}, ${id}`)
  })
}

/** Whether the database has been migrated and is not newer than this program; for the readiness check. */
export async function schemaIsCurrent(db: Db, schemaVersion: number): Promise<boolean> {
  return (await exists(db, 'easydash_schema')) && (await schemaVersionOf(db)) === schemaVersion
}
