/** Checks of `doctor` for the database and its encryption keys. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { keyFinding } from './keys.ts'
import type { Config } from '#server/platform/config/config.ts'
import type { Db } from '#server/platform/database/database.ts'
import { settingOf } from '#server/platform/secrets/keyring-source.ts'
import { silentLog } from '#server/platform/log/log.ts'
import { abandonedFolders, outsideFolders, sharedAccount } from '#server/platform/postgres/location.ts'
import { StartupError } from '#server/platform/processes/startup-error.ts'
import { silentStep } from '#server/platform/steps.ts'
import { openStorage } from '#server/storage.ts'

/** Result of one check. */
export interface Finding {
  ok: boolean
  /** A warning: nothing is broken, but an admin should look at it. */
  isWarning?: boolean
  text: string
}

/**
 * Location of the database: as root it may have been moved out of the data folder, so a copy of that folder does not include
 * it.
 */
export async function databaseLocation({
  databaseUrl,
  dataDir,
}: Pick<Config, 'databaseUrl' | 'dataDir'>): Promise<Finding[]> {
  if (databaseUrl !== null) return [{ ok: true, text: 'Database named by DATABASE_URL' }]
  try {
    const outside = await outsideFolders(dataDir)
    const abandoned = await abandonedFolders()
    const location =
      outside.length === 0 ? 'in the data folder' : `with parts outside the data folder: ${outside.join(', ')}`
    return [
      { ok: true, text: `Database ${location}` },
      ...abandoned.map((folder) => ({
        ok: true,
        isWarning: true,
        text: `No data folder names ${folder}; delete it if nothing misses it`,
      })),
    ]
  } catch (error) {
    if (error instanceof StartupError) return [{ ok: false, text: error.message }]
    throw error
  }
}

/** The database role and which keys of the ring are in use; empty before the first start. */
export async function databaseFindings(config: Config): Promise<Finding[]> {
  const { databaseUrl, dataDir } = config
  const isExternal = databaseUrl !== null
  const used = isExternal || settingOf(config) !== null || existsSync(join(dataDir, 'keys'))
  if (!used || (!isExternal && !(await hasDatabase(dataDir)))) return []
  try {
    const storage = await openStorage({ config, log: silentLog, step: silentStep })
    try {
      const { db } = storage.database
      const migrated = await sql<{
        found: boolean
      }>`select to_regclass('easydash_data_key') is not null as found`.execute(db)
      return [
        await versionFinding(db),
        await roleFinding(db),
        ...(isExternal ? [] : await accountFinding(dataDir)),
        ...(migrated.rows[0]?.found ? [{ ok: true, ...(await keyFinding(storage.database, config)) }] : []),
      ]
    } finally {
      await storage.close()
    }
  } catch (error) {
    return [{ ok: false, text: `Database and secret keys: ${error instanceof Error ? error.message : String(error)}` }]
  }
}

async function versionFinding(db: Db): Promise<Finding> {
  const { rows } = await sql<{ server_version: string }>`show server_version`.execute(db)
  return { ok: true, text: `PostgreSQL ${rows[0]?.server_version ?? ''}` }
}

/** A superuser of a database server can start programs on its machine: anyone who compromises the dashboard gets both. */
async function roleFinding(db: Db): Promise<Finding> {
  const { rows } = await sql<{ role: string; strong: boolean }>`select current_user::text as role,
    rolsuper or rolcreaterole or rolreplication or rolbypassrls or exists (select 1 from pg_auth_members m
      join pg_roles g on g.oid = m.roleid where m.member = r.oid and g.rolname like 'pg\\_%') as strong
    from pg_roles r where rolname = current_user`.execute(db)
  const { role = '', strong = false } = rows[0] ?? {}
  if (!strong) return { ok: true, text: `The role ${role} owns its database and can do nothing else on that server` }
  return {
    ok: true,
    isWarning: true,
    text: `The role ${role} can do more on the database server than Easydash needs (superuser, or rights over other roles or files). Name one in DATABASE_URL that only owns its database`,
  }
}

async function accountFinding(dataDir: string): Promise<Finding[]> {
  const reason = await sharedAccount(dataDir)
  if (reason === null) return []
  const text = `The database runs as nobody, whom other programs of this machine share: ${reason}`
  return [{ ok: true, isWarning: true, text }]
}

/** Whether the built-in database exists already: checking must not create it. */
async function hasDatabase(dataDir: string): Promise<boolean> {
  return existsSync(join(dataDir, 'postgres', 'cluster')) || (await outsideFolders(dataDir)).length > 0
}
