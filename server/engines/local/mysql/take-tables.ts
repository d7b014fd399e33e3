import { runSql, type MysqlLogin } from '#server/platform/mysql/mysql-client.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'
import { asideOf, databaseOf } from './site-statements.ts'

/** Tables of another site. */
export interface TakenTables {
  /** The site that they are taken of. Its `drop` also removes those whose place they took. */
  readonly from: string
  /** Their names; null: all of them, in place of everything that is in the database, but its routines. */
  readonly tables: readonly string[] | null
  /** They may have been taken before. */
  readonly isRepeated: boolean
}

/** What is in a database. */
interface DatabaseObjects {
  readonly tables: readonly string[]
  readonly views: readonly string[]
  readonly triggers: readonly (readonly [name: string, table: string])[]
  /** Foreign keys: a table, and the one it names. */
  readonly keys: readonly (readonly [table: string, other: string])[]
}

/** Lists what is in a database. */
export async function objectsOf(login: MysqlLogin, database: string, signal?: AbortSignal): Promise<DatabaseObjects> {
  const rows = await runSql(login, objectsStatements(database), signal)
  const of = (kind: string) =>
    rows.filter((row) => row[0] === kind).map(([, name = '', other = '']) => [textOf(name), textOf(other)] as const)
  const names = (kind: string) => of(kind).map(([name]) => name)
  return { tables: names('table'), views: names('view'), triggers: of('trigger'), keys: of('key') }
}

/** Names come in hexadecimal: a site can put anything into a name. */
const objectsStatements = (database: string): string =>
  `SELECT IF(TABLE_TYPE = 'VIEW', 'view', 'table'), HEX(TABLE_NAME) FROM information_schema.TABLES WHERE TABLE_SCHEMA = '${database}';
SELECT 'trigger', HEX(TRIGGER_NAME), HEX(EVENT_OBJECT_TABLE) FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = '${database}';
SELECT DISTINCT 'key', HEX(TABLE_NAME), HEX(REFERENCED_TABLE_NAME) FROM information_schema.KEY_COLUMN_USAGE WHERE TABLE_SCHEMA = '${database}' AND REFERENCED_TABLE_NAME IS NOT NULL;
`

/** A renamed table takes its foreign keys along, and those of others that name it: they would lead into the other database. */
export async function assertApart(
  login: MysqlLogin,
  sites: readonly string[],
  tables: readonly string[],
): Promise<void> {
  for (const site of sites) {
    const { keys } = await objectsOf(login, databaseOf(site))
    const tied = keys.find(([table, other]) => tables.includes(table) !== tables.includes(other))
    if (tied !== undefined)
      throw new EngineError('conflict', msg`A foreign key ties the tables ${tied[0]} and ${tied[1]} together.`, {
        nextAction: msg`Choose both of them, or restore the whole database.`,
      })
  }
}

/**
 * Puts tables of another site in place of those of a site, in one statement: it is done, or nothing is. Both sites sleep. Servers rename
 * no views, and no tables with triggers, into another database: these are removed first, and whoever takes them makes them again.
 */
export async function takeTables(
  login: MysqlLogin,
  site: string,
  { from, tables, isRepeated }: TakenTables,
  signal?: AbortSignal,
): Promise<void> {
  const [into, source, aside] = [databaseOf(site), databaseOf(from), asideOf(from)]
  const [own, theirs] = [await objectsOf(login, into, signal), await objectsOf(login, source, signal)]
  const taken = tables ?? theirs.tables
  const found = taken.filter((table) => theirs.tables.includes(table))
  if (found.length === 0 && isRepeated) return
  if (found.length === 0 || found.length < taken.length)
    throw new EngineError('conflict', msg`The tables of the backup are not there any more.`, {
      nextAction: msg`Restore it again.`,
    })
  const isReplaced = (table: string) => tables === null || tables.includes(table)
  const replaced = own.tables.filter(isReplaced)
  const drops = [
    { database: into, objects: own },
    { database: source, objects: theirs },
  ].flatMap(({ database, objects }) => [
    ...objects.triggers
      .filter(([, table]) => isReplaced(table))
      .map(([name]) => `DROP TRIGGER IF EXISTS ${quoted(database, name)};\n`),
    ...(tables === null ? objects.views.map((name) => `DROP VIEW IF EXISTS ${quoted(database, name)};\n`) : []),
  ])
  const moves = [
    ...replaced.map((table) => `${quoted(into, table)} TO ${quoted(aside, table)}`),
    ...found.map((table) => `${quoted(source, table)} TO ${quoted(into, table)}`),
  ]
  await runSql(
    login,
    `SET NAMES utf8mb4;\nDROP DATABASE IF EXISTS \`${aside}\`;\nCREATE DATABASE \`${aside}\`;\n${drops.join('')}RENAME TABLE ${moves.join(', ')};\n`,
    signal,
  )
}

const textOf = (hex: string): string => Buffer.from(hex, 'hex').toString('utf8')
const quoted = (database: string, name: string): string => `\`${database}\`.\`${name.replaceAll('`', '``')}\``
