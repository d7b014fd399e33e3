import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { LocalMysql } from './local-mysql.ts'
import type { SiteLogin } from './site-statements.ts'

/** The file that connects WordPress to SQLite; without it, WordPress uses MySQL. */
const dropIn = 'wp-content/db.php'

/** Where that file is meanwhile: in the folder of the plugin it belongs to, which WordPress doesn't load by itself. */
const dropInAside = 'wp-content/mu-plugins/sqlite-database-integration/easydash-db.php'

/** Creates the database of a new site, and takes SQLite's drop-in out of its files. */
export async function createDatabase(mysql: LocalMysql, id: string, files: string): Promise<SiteLogin> {
  await rename(join(files, dropIn), join(files, dropInAside))
  return mysql.create(id)
}
