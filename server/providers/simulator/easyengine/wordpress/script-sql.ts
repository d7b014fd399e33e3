import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { ScriptEnd, type ScriptHandler } from './script-context.ts'
import { tablesOf } from './script-database.ts'
import type { WordPressState } from './state.ts'

interface Limits {
  readonly columns: number
  readonly result: number
  readonly value: number
}

const problem = (name: string, why = ''): ScriptEnd => new ScriptEnd({ problem: name, why })

/** Runs a statement on the tables that are simulated, in SQLite: what both languages have in common. */
export const sqlScript: ScriptHandler = ({ state }, { do: act, sql, limits }) => {
  const database = load(state)
  try {
    if (act !== 'write') database.exec('PRAGMA query_only = 1')
    const statement = prepared(database, String(sql), act === 'write' ? 'refused' : 'sql')
    if (act === 'judge') throw problem('writes')
    const found = ran(statement, limits as Limits)
    if (act === 'write') store(state, database)
    return { found }
  } finally {
    database.close()
  }
}

const name = (text: string): string => `"${text}"`

function load(state: WordPressState): DatabaseSync {
  const database = new DatabaseSync(':memory:')
  for (const [table, { key, rows }] of Object.entries(tablesOf(state))) {
    const columns = Object.entries(rows[0] ?? {})
    const defined = columns.map(
      ([column, value]) =>
        `${name(column)} ${typeof value === 'number' ? 'INTEGER' : 'TEXT'}${column === key ? ' PRIMARY KEY' : ''}`,
    )
    database.exec(`CREATE TABLE ${table} (${defined.join()})`)
    const insert = database.prepare(`INSERT INTO ${table} VALUES (${columns.map(() => '?').join()})`)
    for (const row of rows) insert.run(...columns.map(([column]) => row[column] ?? null))
  }
  return database
}

function prepared(database: DatabaseSync, sql: string, refusal: string): StatementSync {
  if (sql.trim() === '') throw problem(refusal, 'Query was empty')
  try {
    return database.prepare(sql)
  } catch (error) {
    throw problem(refusal, (error as Error).message)
  }
}

function ran(statement: StatementSync, limits: Limits) {
  try {
    const columns = statement.columns().map((column) => column.name)
    const width = Math.min(columns.length, limits.columns)
    const affected = columns.length === 0 ? Number(statement.run().changes) : null
    const rows = affected === null ? statement.all() : []
    return {
      ...{ columns: columns.slice(0, width), omitted: columns.length - width, affected, ms: 1, undo: null },
      rows: rows.slice(0, limits.result).map((row) => columns.slice(0, width).map((one) => cellOf(row[one], limits))),
      more: rows.length > limits.result,
    }
  } catch (error) {
    const why = (error as Error).message
    throw why.includes('readonly database') ? problem('writes') : problem('sql', why)
  }
}

function cellOf(value: unknown, { value: most }: Limits) {
  if (value === null) return null
  const text = String(value)
  const kind = typeof value === 'number' ? 'number' : 'text'
  return { kind, text: text.slice(0, most), bytes: Buffer.byteLength(text), cut: text.length > most }
}

/** Takes over what the statement left of options, users and the number of pages. */
function store(state: WordPressState, database: DatabaseSync): void {
  const rowsOf = (table: string) => database.prepare(`SELECT * FROM ${table}`).all()
  const tables = database.prepare('SELECT group_concat(sql) AS defined FROM sqlite_schema').get()
  const before = load(state)
  const same = before.prepare('SELECT group_concat(sql) AS defined FROM sqlite_schema').get()
  before.close()
  if (tables?.['defined'] !== same?.['defined']) throw problem('sql', 'Changes of tables are not simulated.')
  state.options = Object.fromEntries(
    rowsOf('wp_options').map((row) => [String(row['option_name']), String(row['option_value'])]),
  )
  const users = new Map(rowsOf('wp_users').map((row) => [row['ID'], row]))
  state.users = state.users.flatMap((user) => {
    const row = users.get(user.ID)
    return row ? [{ ...user, user_login: String(row['user_login']), user_email: String(row['user_email']) }] : []
  })
  state.pages = Math.max(0, rowsOf('wp_posts').length - 1)
}
