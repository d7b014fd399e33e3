/** An installation for tests of the operator's commands: a data folder and a database, with no running process. */
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig, type Config } from '#server/platform/config/config.ts'
import type { Database } from '#server/platform/database/database.ts'
import { silentLog } from '#server/platform/log/log.ts'
import { openServices, type Services } from '#server/services.ts'
import { migrate } from '#server/tables.ts'
import { sql } from 'kysely'
import { createProductDatabase } from './database.ts'

/** Data folder, database and settings. */
export interface Installation {
  readonly dataDir: string
  readonly config: Config
  readonly database: Database
  /** Environment variables for its processes. */
  readonly env: Readonly<Record<string, string>>
  /** Opens the features on its database while `work` runs. */
  withServices<T>(work: (services: Services) => Promise<T>): Promise<T>
  end(): Promise<void>
}

/** Creates an empty installation; its first user migrates the database. */
export async function makeInstallation(settings: Readonly<Record<string, string>> = {}): Promise<Installation> {
  const folder = await mkdtemp(join(tmpdir(), 'installation-'))
  // Sites run as separate users and must be able to traverse the folder.
  await chmod(folder, 0o711)
  const dataDir = join(folder, 'data')
  const test = await createProductDatabase()
  const env = { EASYDASH_DATA_DIR: dataDir, DATABASE_URL: test.connectionString, ...settings }
  const config = loadConfig(env, folder)
  const { database } = test
  return {
    dataDir,
    config,
    database,
    env,
    async withServices(work) {
      await migrate(database)
      const services = await openServices({
        config,
        database,
        log: silentLog,
        engines: {},
        print: () => undefined,
        concurrency: 0,
      })
      try {
        return await work(services)
      } finally {
        await services.close()
      }
    },
    async end() {
      await test.drop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Describes the documents, accounts and files in an installation; empty if it was never used. */
export async function heldBy({ dataDir, database }: Installation): Promise<string[]> {
  const tables = ['tab_user', 'tab_organization', 'tab_site', 'tab_file', 'tab_activity', 'easydash_credential']
  const held: string[] = []
  for (const table of tables) {
    const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.id(table)}`.execute(database.db)
    if (rows[0]?.n !== 0) held.push(`${rows[0]?.n} rows of ${table}`)
  }
  for (const entry of await readdir(dataDir, { recursive: true, withFileTypes: true })) {
    const isOwn = entry.parentPath === dataDir && /^(?:keys|machine|server\.lock|user-ids\.json)$/.test(entry.name)
    if (!entry.isDirectory() && !isOwn) held.push(join(entry.parentPath, entry.name))
  }
  return held
}
