import { createHash, randomBytes } from 'node:crypto'
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'
import { msg } from '#shared/localized-message.ts'
import type { SqlResult } from '#shared/responses/site-console.ts'
import type { DatabaseCell, DatabaseColumn } from '#shared/responses/site-database.ts'
import { databaseLimits } from '#shared/rules/site-database.ts'
import { databaseProblem } from '../database-problems.ts'
import { EngineError } from '../engine.ts'
import type { RowFilter, SiteDatabase } from '../site-database.ts'
import type { SiteRef } from '../site-ref.ts'
import type { FakeContext } from './fake-context.ts'
import { runningWordPress } from './fake-store.ts'

const hiddenColumns = new Set(['user_pass'])
const hiddenOption = "(option_name LIKE '%\\_key' ESCAPE '\\')"

/** A database in a file of its own, with some tables of WordPress. */
export function createFakeDatabase(context: FakeContext): SiteDatabase {
  return {
    tables: async (site) =>
      reading(context, site, (database) => ({
        bytes: 4_096,
        tables: tableNames(database).map((name) => ({
          name,
          rows: Number(database.prepare(`SELECT count(*) AS n FROM "${name}"`).get()?.['n']),
          more: false,
          bytes: 4_096,
          columns: columnsOf(database, name).length,
        })),
        omitted: 0,
      })),
    rows: async (site, { table, filter, sort, start }) =>
      reading(context, site, (database) => {
        const columns = columnsOf(database, assertTable(database, table))
        const secret = table === 'wp_options' ? hiddenOption : '0'
        const [where, values] = filter ? condition(columns, filter, secret) : ['1', []]
        const order = sort ? `"${shownColumn(columns, sort.column)}" ${sort.descending ? 'DESC' : 'ASC'}` : 'rowid'
        const all = database
          .prepare(
            `SELECT rowid AS "easydash row", ${secret} AS "easydash secret", * FROM "${table}" WHERE ${where} ORDER BY ${order}`,
          )
          .all(...values)
        const rows = all.slice(start, start + databaseLimits.rows).map((row) => ({
          row: String(row['easydash row']),
          cells: columns.map(({ name, hidden }) =>
            cellOf(row[name] ?? null, hidden || (name === 'option_value' && row['easydash secret'] === 1)),
          ),
        }))
        return { columns, omitted: 0, rows, total: all.length, more: false, last: start + rows.length >= all.length }
      }),
    cell: async (site, { table, column, row, start }) =>
      reading(context, site, (database) => {
        const name = shownColumn(columnsOf(database, assertTable(database, table)), column)
        const secret = table === 'wp_options' && name === 'option_value' ? hiddenOption : '0'
        const found = /^-?\d{1,19}$/.test(row)
          ? database
              .prepare(`SELECT "${name}" AS value, ${secret} AS secret FROM "${table}" WHERE rowid = ?`)
              .get(Number(row))
          : undefined
        if (found === undefined) throw missing()
        if (found['secret'] === 1) throw hidden()
        const text = String(found['value'] ?? '')
        const part = text.slice(start, start + databaseLimits.part)
        const next = start + part.length < text.length ? start + part.length : null
        return { kind: 'text' as const, text: part, bytes: Buffer.byteLength(text), next }
      }),
    query: async (site, sql) =>
      reading(context, site, (database) => {
        try {
          return runStatement(database, sql)
        } catch (error) {
          if (String(error).includes('readonly database')) return null
          throw refused(error)
        }
      }),
    async write(site, sql) {
      const file = openedFile(context, site)
      copyFileSync(file, `${file}.new`)
      const database = new DatabaseSync(file)
      try {
        const result = runStatement(database, sql)
        renameSync(`${file}.new`, `${file}.undo`)
        return { ...result, undo: keepUndo(context, site) }
      } catch (error) {
        throw refused(error)
      } finally {
        database.close()
      }
    },
    async undo(site, undo, anyway) {
      const file = openedFile(context, site)
      const known = undoOf(context, site)
      if (known === null || known.id !== undo) throw databaseProblem('gone')
      if (!anyway && known.state !== stateOf(context, site)) throw databaseProblem('changed')
      copyFileSync(file, `${file}.new`)
      copyFileSync(`${file}.undo`, file)
      renameSync(`${file}.new`, `${file}.undo`)
      return { undo: keepUndo(context, site) }
    },
  }
}

/** The state before the last statement: its name, and the state it led to. By file. */
const undos = new Map<string, { readonly id: string; readonly state: string }>()

const undoOf = (context: FakeContext, { id }: SiteRef) => undos.get(fileOf(context, id)) ?? null

const stateOf = (context: FakeContext, { id }: SiteRef): string =>
  createHash('sha256')
    .update(readFileSync(fileOf(context, id)))
    .digest('hex')

function keepUndo(context: FakeContext, site: SiteRef): string {
  const id = randomBytes(8).toString('hex')
  undos.set(fileOf(context, site.id), { id, state: stateOf(context, site) })
  return id
}

function runStatement(database: DatabaseSync, sql: string): SqlResult {
  const statement = database.prepare(sql)
  const columns = statement.columns().map(({ name }) => name)
  const common = { omitted: 0, more: false, ms: 0, undo: null }
  if (columns.length === 0) return { ...common, columns, rows: [], affected: Number(statement.run().changes) }
  const rows = statement.all()
  return {
    ...common,
    columns,
    rows: rows.slice(0, databaseLimits.result).map((row) => columns.map((name) => cellOf(row[name] ?? null, false))),
    more: rows.length > databaseLimits.result,
    affected: null,
  }
}

const refused = (error: unknown): EngineError =>
  new EngineError('invalid', msg`The database refused the statement: ${error instanceof Error ? error.message : ''}`, {
    nextAction: msg`Change the statement.`,
  })

/** Removes the database of a site. */
export function removeFakeDatabase(context: FakeContext, id: string): void {
  for (const end of ['', '.new', '.undo']) rmSync(`${fileOf(context, id)}${end}`, { force: true })
}

const fileOf = ({ options }: FakeContext, id: string): string => join(options.folder, `${id}.sqlite`)

async function reading<T>(context: FakeContext, site: SiteRef, work: (database: DatabaseSync) => T): Promise<T> {
  const file = openedFile(context, site)
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    return work(database)
  } finally {
    database.close()
  }
}

/** The file, filled when it is needed first. Throws EngineError like every engine. */
function openedFile(context: FakeContext, site: SiteRef): string {
  const { adminUser } = runningWordPress(context, site)
  const file = fileOf(context, site.id)
  if (existsSync(file)) return file
  const database = new DatabaseSync(file)
  database.exec(`
    CREATE TABLE wp_options (option_id INTEGER PRIMARY KEY, option_name TEXT NOT NULL, option_value TEXT);
    INSERT INTO wp_options (option_name, option_value) VALUES ('siteurl', 'http://${site.domain}'), ('blogname', 'Fake'),
      ('auth_key', 'fake key'), ('sidebars_widgets', 'a:1:{s:4:"left";a:0:{}}');
    CREATE TABLE wp_posts (ID INTEGER PRIMARY KEY, post_title TEXT, post_content TEXT, post_status TEXT);
    INSERT INTO wp_posts (post_title, post_content, post_status) VALUES ('Hello world!', 'Welcome.', 'publish'),
      ('Sample Page', 'A page.', 'publish');
    CREATE TABLE wp_users (ID INTEGER PRIMARY KEY, user_login TEXT, user_pass TEXT);`)
  database.prepare('INSERT INTO wp_users (user_login, user_pass) VALUES (?, ?)').run(adminUser, '$P$fake')
  database.close()
  return file
}

function tableNames(database: DatabaseSync): string[] {
  return database
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    .all()
    .map(({ name }) => String(name))
}

function assertTable(database: DatabaseSync, table: string): string {
  if (!tableNames(database).includes(table)) throw missing()
  return table
}

function columnsOf(database: DatabaseSync, table: string): DatabaseColumn[] {
  return database
    .prepare(`PRAGMA table_info("${table}")`)
    .all()
    .map(({ name, type, pk }) => ({
      name: String(name),
      type: String(type).toLowerCase(),
      key: Number(pk) > 0,
      hidden: hiddenColumns.has(String(name)),
    }))
}

function shownColumn(columns: readonly DatabaseColumn[], name: string): string {
  const column = columns.find((one) => one.name === name)
  if (column === undefined) throw missing()
  if (column.hidden) throw hidden()
  return name
}

function condition(columns: readonly DatabaseColumn[], filter: RowFilter, secret: string): [string, string[]] {
  const column = `"${shownColumn(columns, filter.column)}"`
  const pattern = filter.value.replaceAll(/[%_\\]/g, String.raw`\$&`)
  const tests = {
    contains: [`${column} LIKE ? ESCAPE '\\'`, [`%${pattern}%`]],
    starts: [`${column} LIKE ? ESCAPE '\\'`, [`${pattern}%`]],
    equals: [`${column} = ?`, [filter.value]],
    differs: [`${column} <> ?`, [filter.value]],
    less: [`${column} < ?`, [filter.value]],
    greater: [`${column} > ?`, [filter.value]],
    null: [`${column} IS NULL`, []],
    not_null: [`${column} IS NOT NULL`, []],
  } satisfies Record<RowFilter['operator'], [string, string[]]>
  const [test, values] = tests[filter.operator]
  return [`(${test}) AND NOT ${secret}`, values]
}

function cellOf(value: SQLOutputValue, isHidden: boolean): DatabaseCell {
  if (value === null) return null
  if (isHidden) return { kind: 'hidden', text: '', bytes: 0, cut: false }
  const text = String(value)
  const shown = text.slice(0, databaseLimits.preview)
  return {
    kind: typeof value === 'number' ? 'number' : 'text',
    text: shown,
    bytes: Buffer.byteLength(text),
    cut: shown.length < text.length,
  }
}

const missing = (): EngineError =>
  new EngineError('not_found', msg`The database does not have this any more.`, { nextAction: msg`Refresh the list.` })

const hidden = (): EngineError =>
  new EngineError('invalid', msg`This is hidden because it is a secret.`, { nextAction: msg`Choose another column.` })
