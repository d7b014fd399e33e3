import { ScriptEnd, type ScriptHandler } from './script-context.ts'
import type { WordPressState } from './state.ts'

type Row = Readonly<Record<string, string | number>>

interface Table {
  readonly key: string
  readonly rows: readonly Row[]
}

const secret = /pass/

/** The tables of a simulated WordPress that are shown. */
export function tablesOf(state: WordPressState): Readonly<Record<string, Table>> {
  const titles = ['Hello world!', ...Array.from({ length: state.pages }, (_, at) => `Page ${at + 1}`)]
  return {
    wp_options: {
      key: 'option_id',
      rows: Object.entries(state.options).map(([name, value], at) => ({
        ...{ option_id: at + 1, option_name: name, option_value: value },
      })),
    },
    wp_posts: { key: 'ID', rows: titles.map((title, at) => ({ ID: at + 1, post_title: title })) },
    wp_users: {
      key: 'ID',
      rows: state.users.map(({ ID, user_login: login, user_email: email, password }) => ({
        ...{ ID, user_login: login, user_email: email, user_pass: password },
      })),
    },
  }
}

const problem = (name: string): ScriptEnd => new ScriptEnd({ problem: name })

function columnOf({ rows }: Table, name: unknown): string {
  if (rows[0]?.[String(name)] === undefined) throw problem('missing')
  if (secret.test(String(name))) throw problem('hidden')
  return String(name)
}

interface Filter {
  readonly column: string
  readonly operator: string
  readonly value: string
}

function matches(row: Row, { column, operator, value }: Filter): boolean {
  const [text, wanted] = [String(row[column]).toLowerCase(), value.toLowerCase()]
  switch (operator) {
    case 'contains':
      return text.includes(wanted)
    case 'starts':
      return text.startsWith(wanted)
    case 'equals':
      return String(row[column]) === value
    case 'differs':
      return String(row[column]) !== value
    case 'less':
      return text < wanted
    case 'greater':
      return text > wanted
    default:
      return operator === 'not_null'
  }
}

const cellOf = (name: string, value: string | number) =>
  secret.test(name)
    ? { kind: 'hidden', text: '', bytes: 0, cut: false }
    : {
        ...{ kind: typeof value === 'number' ? 'number' : 'text', text: String(value).slice(0, 160) },
        ...{ bytes: Buffer.byteLength(String(value)), cut: String(value).length > 160 },
      }

function rowsOf(
  table: Table,
  filter: Filter | null,
  sort: { column: string; descending: boolean } | null,
  start: number,
) {
  if (filter) columnOf(table, filter.column)
  const by = sort === null ? null : columnOf(table, sort.column)
  const found = table.rows.filter((row) => filter === null || matches(row, filter))
  const order = (a: Row, b: Row) => (by !== null && String(a[by]) < String(b[by]) ? -1 : 1)
  const sorted = by === null ? found : found.toSorted(order)
  if (sort?.descending === true) sorted.reverse()
  const shown = sorted.slice(start, start + 50)
  const names = Object.keys(table.rows[0] ?? {})
  return {
    columns: names.map((name) => ({
      ...{ name, type: typeof table.rows[0]?.[name] === 'number' ? 'bigint(20) unsigned' : 'longtext' },
      ...{ key: name === table.key, hidden: secret.test(name) },
    })),
    omitted: 0,
    rows: shown.map((row) => ({
      row: String(row[table.key]),
      cells: names.map((name) => cellOf(name, row[name] ?? '')),
    })),
    ...{ total: found.length, more: false, last: start + shown.length >= found.length },
  }
}

/** Shows tables, rows of a table, and single values. */
export const browseScript: ScriptHandler = ({ state }, query) => {
  const tables = tablesOf(state)
  const bytesOf = ({ rows }: Table) => JSON.stringify(rows).length
  if (query['do'] === 'tables') {
    const listed = Object.entries(tables).map(([name, table]) => ({
      ...{ name, rows: table.rows.length, more: false, bytes: bytesOf(table) },
      columns: Object.keys(table.rows[0] ?? {}).length,
    }))
    return { found: { bytes: listed.reduce((total, { bytes }) => total + bytes, 0), tables: listed, omitted: 0 } }
  }
  const table = Object.entries(tables).find(([name]) => name === query['table'])?.[1]
  if (!table) throw problem('missing')
  if (query['do'] === 'rows') {
    const filter = query['filter'] as Filter | null
    const sort = query['sort'] as { column: string; descending: boolean } | null
    return { found: rowsOf(table, filter, sort, Number(query['start'])) }
  }
  const column = columnOf(table, query['column'])
  const row = table.rows.find((one) => String(one[table.key]) === query['row'])
  if (!row) throw problem('missing')
  const { kind, bytes } = cellOf(column, row[column] ?? '')
  const text = String(row[column]).slice(Number(query['start']), Number(query['start']) + 24_000)
  const end = Number(query['start']) + text.length
  return { found: { kind, text, bytes, next: end < String(row[column]).length ? end : null } }
}
