import type { Config } from '#server/platform/config/config.ts'
import { openDataDir } from '#server/platform/config/data-dir.ts'
import { checkServer, openDatabase, type Database } from '#server/platform/database/database.ts'
import type { Log } from '#server/platform/log/log.ts'
import { startPostgres, type PostgresConnection } from './platform/postgres/postgres.ts'
import type { Step } from './platform/steps.ts'
import { connectionsOfWebProcess } from './web-messages.ts'

/** The opened data folder and database. */
export interface Storage {
  readonly database: Database
  /** How further processes connect to it. */
  readonly connection: string | PostgresConnection
  close(): Promise<void>
}

/** Opens the data folder and the database: the built-in one, unless `DATABASE_URL` is set. */
export async function openStorage(options: { config: Config; log: Log; step: Step }): Promise<Storage> {
  const { config, log, step } = options
  await openDataDir(config.dataDir)
  const { dataDir, webProcesses } = config
  const settings = { max_connections: String(60 + (webProcesses - 1) * connectionsOfWebProcess) }
  const postgres = config.databaseUrl === null ? await startPostgres({ dataDir, log, step, settings }) : null
  const connection = postgres?.connection ?? (config.databaseUrl as string)
  const database = openDatabase({ connection, log })
  const close = async () => {
    await database.close()
    await postgres?.stop()
  }
  try {
    await checkServer(database)
  } catch (error) {
    await close()
    throw error
  }
  return { database, connection, close }
}
