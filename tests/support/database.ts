/** A fresh database for a test file, on the test run's shared PostgreSQL server. */
import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import pg from 'pg'
import { inject } from 'vitest'
import type { Database } from '#server/platform/database/database.ts'
import { openDatabase } from '#server/platform/database/database.ts'
import { runMigrations } from '#server/platform/database/migrations.ts'
import { silentLog } from '#server/platform/log/log.ts'
import { createTables, schemaVersion } from '#server/tables.ts'
import type { PostgresConnection } from '#server/platform/postgres/postgres.ts'
import type { SetupResult } from './postgres-setup.ts'
import { urlOf } from './product-database.ts'

/** An empty, exclusive database. */
export interface TestDatabase {
  database: Database
  /** For code that opens connections of its own. */
  connection: PostgresConnection
  /** The same database as the cluster's superuser, which the product never uses. */
  superuser: PostgresConnection
  /** The same as a URL, for `DATABASE_URL`. */
  connectionString: string
  /** Closes `database` and drops it, even if others are still connected. */
  drop(): Promise<void>
}

/**
 * Takes about 30 ms (the first one of a run 0.8 s more, for starting the server). Use it in `beforeAll` and call `drop` in
 * `afterAll`; the whole server is removed at the end of the run in any case.
 */
export function createTestDatabase(): Promise<TestDatabase> {
  return copyOf('template0')
}

/** Name of this worker's database with the product's tables, which others are copied from. */
let migrated: Promise<string> | null = null

/** A database with all tables of the product, made once per worker. */
export async function createProductDatabase(): Promise<TestDatabase> {
  migrated ??= (async () => {
    const { database, connection } = await createTestDatabase()
    await runMigrations(database, { schemaVersion, additive: createTables })
    // Nobody may be connected to what is copied.
    await database.close()
    return connection.database
  })()
  return copyOf(await migrated)
}

async function copyOf(template: string): Promise<TestDatabase> {
  const { connection: server, superuser } = await askForServer()
  const name = `test_${randomBytes(6).toString('hex')}`
  await administer(superuser, `create database ${name} owner ${server.user} template ${template}`)
  const connection = { ...server, database: name }
  const database = openDatabase({ connection, log: silentLog })
  return {
    database,
    connection,
    superuser: { ...superuser, database: name },
    connectionString: urlOf(connection),
    async drop() {
      await database.close()
      await administer(superuser, `drop database ${name} with (force)`)
    },
  }
}

async function askForServer(): Promise<Exclude<SetupResult, { error: string }>> {
  const response = JSON.parse(await text(connect(inject('postgresSocket')))) as SetupResult
  if ('error' in response) throw new Error(`The test database did not start: ${response.error}`)
  return response
}

async function administer(connection: PostgresConnection, statement: string): Promise<void> {
  const client = new pg.Client({ ...connection, database: 'postgres' })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
