import { newToken } from '#server/platform/secrets/tokens.ts'

/** What a site connects with. */
export interface SiteLogin {
  readonly database: string
  readonly user: string
  readonly password: string
}

/** Connections a site can have at once: more than its process opens. Those of all sites are fewer than the server takes. */
export const maxConnections = 12

/**
 * Everything WordPress and its plugins do within a database. Left out are the events of a database, which would go on while
 * the site is stopped, and everything that reaches beyond it.
 */
const privileges = [
  'SELECT',
  'INSERT',
  'UPDATE',
  'DELETE',
  'CREATE',
  'DROP',
  'ALTER',
  'INDEX',
  'REFERENCES',
  'LOCK TABLES',
  'CREATE TEMPORARY TABLES',
  'CREATE VIEW',
  'SHOW VIEW',
  'TRIGGER',
  'CREATE ROUTINE',
  'ALTER ROUTINE',
  'EXECUTE',
].join(', ')

/**
 * Database and user of a site. Both consist of letters and digits only: in GRANT, an underscore in the name of a database
 * stands for any character.
 */
export function databaseOf(site: string): string {
  // Names are parts of statements, and ids come from outside of this module.
  if (!/^[a-z0-9]{10}$/.test(site)) throw new Error('The site has no valid id.')
  return `easydash${site}`
}

/** A login with a new password. */
export function newSiteLogin(site: string): SiteLogin {
  return { database: databaseOf(site), user: databaseOf(site), password: newToken() }
}

/** Replaces database and user. `from`: the host that its connections come from. */
export function createStatements({ database, user, password }: SiteLogin, from: string): string {
  return statements([
    `DROP DATABASE IF EXISTS \`${database}\``,
    `DROP USER IF EXISTS '${user}'@'${from}'`,
    createDatabase(database),
    `CREATE USER '${user}'@'${from}' IDENTIFIED BY '${password}' WITH MAX_USER_CONNECTIONS ${maxConnections}`,
    `GRANT ${privileges} ON \`${database}\`.* TO '${user}'@'${from}'`,
  ])
}

/** Collation that WordPress chooses itself, known to MySQL and MariaDB. */
function createDatabase(database: string): string {
  return `CREATE DATABASE \`${database}\` CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci`
}

/** Removes all tables; the user keeps its rights. */
export function emptyStatements(site: string): string {
  const database = databaseOf(site)
  return statements([`DROP DATABASE IF EXISTS \`${database}\``, createDatabase(database)])
}

/** A login that can only read a site's database, for a dump: views and functions of the site get no more than that. */
export function newReaderLogin(site: string): SiteLogin {
  return { database: databaseOf(site), user: `${databaseOf(site)}read`, password: newToken() }
}

/** Makes the user of `newReaderLogin`, in place of an earlier one. */
export function readerStatements(login: SiteLogin, from: string): string {
  return onlyReading(login, { from, connections: 2, rights: 'SELECT, SHOW VIEW, TRIGGER' })
}

/** Connections of the table browser and the SQL console to one site's database. */
export const viewerConnections = 4

/** The user of the table browser and the SQL console. */
export const viewerOf = (site: string): string => `${databaseOf(site)}view`

/** A login with a new password that can read the tables of a site's database, and nothing else. */
export function newViewerLogin(site: string): SiteLogin {
  return { database: databaseOf(site), user: viewerOf(site), password: newToken() }
}

/** Makes the user of `newViewerLogin`, in place of an earlier one. */
export function viewerStatements(login: SiteLogin, from: string): string {
  return onlyReading(login, { from, connections: viewerConnections, rights: 'SELECT' })
}

function onlyReading(
  { database, user, password }: SiteLogin,
  { from, connections, rights }: { readonly from: string; readonly connections: number; readonly rights: string },
): string {
  return statements([
    `DROP USER IF EXISTS '${user}'@'${from}'`,
    `CREATE USER '${user}'@'${from}' IDENTIFIED BY '${password}' WITH MAX_USER_CONNECTIONS ${connections}`,
    `GRANT ${rights} ON \`${database}\`.* TO '${user}'@'${from}'`,
  ])
}

/** Removes the user of `newReaderLogin`. */
export function dropReaderStatements({ user }: SiteLogin, from: string): string {
  return statements([`DROP USER IF EXISTS '${user}'@'${from}'`])
}

/** Removes database and user, and the tables that its own were exchanged for. */
export function dropStatements(site: string, from: string): string {
  const name = databaseOf(site)
  return statements([
    ...[name, asideOf(site)].map((database) => `DROP DATABASE IF EXISTS \`${database}\``),
    `DROP USER IF EXISTS '${name}'@'${from}'`,
  ])
}

/** A database that no site has rights on: tables go there whose place those of this site took. */
export const asideOf = (site: string): string => `${databaseOf(site)}aside`

/** Gives the site's user the password of a login. */
export function passwordStatements({ user, password }: SiteLogin, from: string): string {
  if (!isPassword(password)) throw new Error('The site has no valid password.')
  return statements([`ALTER USER IF EXISTS '${user}'@'${from}' IDENTIFIED BY '${password}'`])
}

/** Whether it is one that `newSiteLogin` makes: it becomes part of a statement. */
export const isPassword = (text: string): boolean => /^[\w-]{43}$/.test(text)

/** Lets the user connect, or not. There is none while a move to MySQL begins. */
export function lockStatements(site: string, from: string, locked: boolean): string {
  return statements([
    `ALTER USER IF EXISTS '${databaseOf(site)}'@'${from}' WITH MAX_USER_CONNECTIONS ${maxConnections} ACCOUNT ${locked ? 'LOCK' : 'UNLOCK'}`,
  ])
}

/** Lets nobody connect, and removes the user of `newViewerLogin`. */
export function closeStatements(site: string, from: string): string {
  return `${lockStatements(site, from, true)}DROP USER IF EXISTS '${viewerOf(site)}'@'${from}';\n`
}

/**
 * Bytes of the database's files, as the file system has them, and of the definitions that the server keeps elsewhere. Not DATA_LENGTH: that comes from statistics, which a table with
 * STATS_AUTO_RECALC=0 never updates, and so hides what it grew by. Comments choose the name each product has for the view.
 */
export function sizeStatement(site: string): string {
  const name = databaseOf(site)
  return statements([
    `SELECT (SELECT COALESCE(SUM(FILE_SIZE), 0) FROM /*M! information_schema.INNODB_SYS_TABLESPACES */ /*!80000 information_schema.INNODB_TABLESPACES */ WHERE NAME LIKE '${name}/%')
 + (SELECT COALESCE(SUM(DATA_LENGTH + INDEX_LENGTH + DATA_FREE), 0) FROM information_schema.TABLES WHERE TABLE_SCHEMA = '${name}' AND ENGINE <> 'InnoDB')
 + (SELECT COALESCE(SUM(LENGTH(ROUTINE_DEFINITION)), 0) FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = '${name}')
 + (SELECT COALESCE(SUM(LENGTH(VIEW_DEFINITION)), 0) FROM information_schema.VIEWS WHERE TABLE_SCHEMA = '${name}')
 + (SELECT COALESCE(SUM(LENGTH(ACTION_STATEMENT)), 0) FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = '${name}')`,
  ])
}

/** Names of a site's routines, each in hexadecimal: a site can put anything into a name. */
export function routinesStatement(site: string): string {
  return statements([
    `SELECT HEX(ROUTINE_NAME) FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = '${databaseOf(site)}' ORDER BY ROUTINE_NAME LIMIT 50`,
  ])
}

/** The result of `routinesStatement`, for people. */
export function parseNames(rows: readonly (readonly string[])[]): string[] {
  return rows.map(([hex = '']) => {
    const name = Buffer.from(hex, 'hex').toString('utf8')
    return name.replaceAll(/[\p{C}\s]+/gu, ' ').slice(0, 64)
  })
}

/** The result of `sizeStatement`. Throws if it is none: an unknown size must not count as an empty database. */
export function parseSize(rows: readonly (readonly string[])[]): number {
  const bytes = Number(rows[0]?.[0] ?? Number.NaN)
  if (!Number.isFinite(bytes)) throw new Error('The server did not say how large the database is.')
  return bytes
}

const statements = (list: readonly string[]): string => `${list.join(';\n')};\n`
