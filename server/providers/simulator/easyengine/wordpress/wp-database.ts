import { containerPath } from '../layout.ts'
import { note, put, readIfThere } from '../machine.ts'
import { dumpOf, prefixOf, readDump, textsOf } from './dump.ts'
import { readRealDump } from './read-dump.ts'
import type { WordPressState } from './state.ts'
import { printItems, WpError, wpText, type WpContext } from './wp-context.ts'

function exportDatabase(context: WpContext): void {
  const { machine, site, state, words } = context
  const only = wpText(context, 'tables')?.split(',') ?? null
  const missing = only?.find((name) => !textsOf({ machine, site, state }).has(name))
  if (missing !== undefined) throw new WpError(`mysqldump: Couldn't find table: "${missing}"`)
  const dump = dumpOf({ machine, site, state }, only)
  const file = words[0] ?? `${site['db_name']}.sql`
  if (file === '-') return machine.out(dump)
  if (machine.trap('disk_full') !== null) throw new WpError('mysqldump: Error 28: No space left on device')
  put(pathOf(context, file), dump)
  context.success(`Exported to '${file}'.`)
}

const pathOf = ({ machine, site }: WpContext, file: string): string =>
  containerPath(machine, site, file.startsWith('/') ? file : `${site.site_container_fs_path}/${file}`)

/** Statements of ours that remove all tables. */
const clearing = /^(?:(?:SET SESSION foreign_key_checks|SET @|PREPARE|EXECUTE).*\n)+/

function importDatabase(context: WpContext): void {
  const { machine, site, state, words } = context
  const file = words[0] ?? `${site['db_name']}.sql`
  const text = file === '-' ? machine.readInput() : readIfThere(pathOf(context, file))
  if (text === null) throw new WpError(`Import file missing or not readable: ${file}`)
  const dump = text.replace(clearing, '')
  // What comes first removes the tables that the dump does not name.
  if (dump !== text) delete state.tables
  const imported = readDump(dump) ?? readRealDump(dump)
  const tables = statementsIn(dump)
  if (imported) Object.assign(state, imported)
  else if (tables.size > 0) state.tables = { ...state.tables, ...Object.fromEntries(tables) }
  else throw syntaxError()
  context.success(`Imported from '${file === '-' ? 'STDIN' : file}'.`)
}

const syntaxError = () => new WpError('ERROR 1064 (42000) at line 1: You have an error in your SQL syntax')

/** What makes each table of a dump. */
export function statementsIn(text: string): Map<string, string> {
  const tables = new Map<string, string>()
  for (const [statement, name = ''] of text.matchAll(/^(?:CREATE TABLE|INSERT INTO) `(\w+)`[^]*?;$/gm)) {
    const before = tables.get(name)
    tables.set(name, before === undefined ? statement : `${before}\n${statement}`)
  }
  return tables
}

/** What the simulation has of tables of WordPress, without their prefix. */
const parts: Readonly<Record<string, readonly (keyof WordPressState)[]>> = {
  options: ['options', 'activePlugins', 'theme'],
  users: ['users'],
  usermeta: ['users'],
  posts: ['posts', 'pages'],
  comments: ['comments'],
}

/** Makes these the tables of a site. */
function putTables(context: WpContext, tables: ReadonlyMap<string, string>): void {
  const { state } = context
  const prefix = prefixOf(context)
  const before = textsOf(context)
  const own = [...before.keys()].filter((name) => state.tables?.[name] === undefined)
  const read = readRealDump(own.map((name) => tables.get(name) ?? '').join('\n'))
  for (const name of own)
    for (const part of (tables.get(name) === before.get(name) ? undefined : parts[name.slice(prefix.length)]) ?? [])
      Object.assign(state, { [part]: read?.[part] ?? [] })
  state.tables = Object.fromEntries([...tables].filter(([name]) => !own.includes(name)))
}

/** A statement with `text` put in place of tables that were renamed: the name is in each of its statements. */
const renamed = (text: string, from: string, to: string): string =>
  text.replaceAll(
    new RegExp(`^(CREATE TABLE|INSERT INTO) \`${from.replaceAll('$', String.raw`\$`)}\``, 'gm'),
    (_all, verb) => `${verb} \`${to}\``,
  )

function renameTables(context: WpContext, list: string): void {
  const tables = textsOf(context)
  for (const pair of list.split(',')) {
    const [, from = '', to = ''] = /^\s*`?([\w$]+)`? TO `?([\w$]+)`?\s*$/.exec(pair) ?? []
    const text = tables.get(from)
    if (text === undefined) throw new WpError(`ERROR 1146 (42S02) at line 1: Table '${from}' doesn't exist`)
    if (tables.has(to)) throw new WpError(`ERROR 1050 (42S01) at line 1: Table '${to}' already exists`)
    tables.delete(from)
    tables.set(to, renamed(text, from, to))
  }
  putTables(context, tables)
}

function dropTables(context: WpContext, list: string): void {
  const tables = textsOf(context)
  for (const name of list.replaceAll('`', '').split(','))
    if (!tables.delete(name.trim())) throw new WpError(`ERROR 1051 (42S02) at line 1: Unknown table '${name}'`)
  putTables(context, tables)
}

function createTable(context: WpContext, name: string, columns: string): void {
  const tables = textsOf(context)
  if (tables.has(name)) throw new WpError(`ERROR 1050 (42S01) at line 1: Table '${name}' already exists`)
  putTables(context, tables.set(name, `CREATE TABLE \`${name}\` (${columns});`))
}

/** Tables with foreign keys, or that foreign keys refer to. Triggers and views are not simulated. */
const dependentIn = (texts: Iterable<readonly [string, string]>): string[] =>
  [...texts].flatMap(([name, text]) => {
    const others = [...text.matchAll(/ FOREIGN KEY .*? REFERENCES `([\w$]+)`/g)].map(([, other = '']) => other)
    return others.length === 0 ? [] : [name, ...others]
  })

/** The SQL that Easydash sends, and nothing else. */
function query(context: WpContext): void {
  const { machine, words } = context
  const sql = (words[0] ?? machine.readInput()).trim().replace(/;$/, '')
  const [verb = '', name = '', columns = ''] = /^CREATE TABLE ([\w$]+) \((.*)\)$/.exec(sql) ?? []
  const list = (names: readonly string[]) => machine.out(names.map((one) => `${one}\n`).join(''))
  if (sql === 'SHOW TABLES') return list([...textsOf(context).keys()])
  if (/^SELECT TABLE_NAME FROM information_schema\.REFERENTIAL_CONSTRAINTS /.test(sql))
    return list(dependentIn(textsOf(context)))
  if (sql.startsWith('RENAME TABLE ')) return renameTables(context, sql.slice(13))
  if (sql.startsWith('DROP TABLE ')) return dropTables(context, sql.slice(11))
  if (verb !== '') return createTable(context, name, columns)
  note(machine.root, 'violations.log', `wp db query: ${sql.slice(0, 100)} is not simulated`)
  throw syntaxError()
}

function size(context: WpContext): void {
  const bytes = JSON.stringify(context.state).length + 600_000
  if (wpText(context, 'size_format') !== null) return context.machine.out(`${bytes}\n`)
  printItems(context, [{ Name: context.site['db_name'], Size: `${bytes} B` }], ['Name', 'Size'])
}

export const databaseCommands = {
  'db export': exportDatabase,
  'db import': importDatabase,
  'db query': query,
  'db size': size,
  'db check': (context: WpContext) => context.success('Database checked.'),
}
