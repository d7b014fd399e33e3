import { parseOwnJson } from '#shared/parse-json.ts'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { listNames } from '#server/platform/files/list-folder.ts'
import { removeTree } from '#server/platform/trees/remove-tree.ts'
import type { Db } from '#server/platform/database/database.ts'
import { writeFileAtomic } from '#server/platform/config/data-dir.ts'
import { systemErrorCode } from '#server/platform/processes/startup-error.ts'
import { sql } from 'kysely'

/** Action of the activity an import records; committed together with the rows. */
export const importAction = 'Installation.import'

const markerPath = (dataDir: string) => join(dataDir, 'import.json')

/** Folders an import fills; both must be empty before. */
export const importedFolders = (dataDir: string) => [join(dataDir, 'files'), join(dataDir, 'local', 'sites')]

/** Written before an import puts the first file into the data folder. */
export async function recordImport(dataDir: string, id: string): Promise<void> {
  await writeFileAtomic(markerPath(dataDir), JSON.stringify({ import: id }))
}

/**
 * Finishes an interrupted import; the caller must hold the data folder's lock. Its files are kept if its rows were committed
 * and removed otherwise, since the folders were empty when it started. Files that the database references came later, from a
 * restored backup, and are kept. Returns whether there was an import whose files were removed.
 */
export async function finishInterruptedImport(dataDir: string, db: Db): Promise<boolean> {
  const id = await readImportMarker(dataDir)
  if (id === null) return false
  const isDone = await hasRows(db, id)
  if (!isDone) {
    const known = await knownNames(db)
    for (const folder of importedFolders(dataDir))
      for (const name of await listNames(folder)) if (!known.has(name)) await removeTree(join(folder, name))
  }
  await rm(markerPath(dataDir), { force: true })
  return !isDone
}

async function readImportMarker(dataDir: string): Promise<string | null> {
  try {
    const { import: id } = parseOwnJson<{ import: unknown }>(await readFile(markerPath(dataDir), 'utf8'))
    return String(id)
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return null
    throw error
  }
}

/** Names in the imported folders that rows reference: site folders, and prefixes of uploads. */
async function knownNames(db: Db): Promise<ReadonlySet<string>> {
  const tables = await sql<{ found: boolean }>`select to_regclass('tab_site') is not null
    and to_regclass('tab_file') is not null as found`.execute(db)
  if (!tables.rows[0]?.found) return new Set()
  const { rows } = await sql<{ name: string }>`select name from tab_site
    union select left(stored_name, 2) from tab_file where stored_name is not null`.execute(db)
  return new Set(rows.map(({ name }) => name))
}

async function hasRows(db: Db, id: string): Promise<boolean> {
  const table = await sql<{ found: boolean }>`select to_regclass('tab_activity') is not null as found`.execute(db)
  if (!table.rows[0]?.found) return false
  const { rows } = await sql`select 1 from tab_activity
    where action = ${importAction} and after->>'import' = ${id} limit 1`.execute(db)
  return rows.length > 0
}
