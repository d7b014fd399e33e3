import { tableName } from '#server/documents/store/schema.ts'
import type { TestContext } from './test-context.ts'

/** Columns that hold the name of the document a row belongs to, with the one that holds its doctype. */
const references: Readonly<Record<string, string | null>> = {
  name: null,
  site: null,
  run: null,
  reference_name: 'reference_doctype',
  share_name: 'share_doctype',
  attached_to_name: 'attached_to_doctype',
}

const known = new WeakMap<TestContext, Map<string, Promise<string>>>()

/** The query for the documents of a doctype. Read from the database, so that a new table is looked at without being listed here. */
function queryOf(context: TestContext, doctype: string): Promise<string> {
  const queries = known.get(context) ?? new Map<string, Promise<string>>()
  known.set(context, queries)
  const text = queries.get(doctype) ?? makeQuery(context, doctype)
  queries.set(doctype, text)
  return text
}

async function makeQuery(context: TestContext, doctype: string): Promise<string> {
  const { rows } = await context.product.database.pool.query<{ table: string; column: string }>(
    `select table_name as table, column_name as column from information_schema.columns
     where table_schema = current_schema() and data_type = 'text' and column_name = any($1)`,
    [Object.keys(references)],
  )
  const own = tableName(doctype)
  const parts = rows.flatMap(({ table, column }) => {
    if (column === 'name' && table.startsWith('tab_') && table !== own) return []
    const about = references[column] ? ` and "${references[column]}" = '${doctype}'` : ''
    const denials = table === 'tab_activity' ? ` and result <> 'Denied'` : ''
    return `select '${table}' as place, to_jsonb(t) as row from "${table}" t where "${column}" = $1${about}${denials}`
  })
  return `select place || ' ' || row::text as row from (${parts.join(' union all ')}) found order by 1`
}

/**
 * Everything stored about a document: its row, and the jobs, activity, shares, files and other rows that refer to it. Left out are
 * the entries that say that something was refused, which are the only thing that a refused call may leave.
 */
export async function traceOf(context: TestContext, doctype: string, name: string): Promise<readonly string[]> {
  const text = await queryOf(context, doctype)
  // Prepared once for each connection: planning it takes longer than running it.
  const prepared = { name: `trace of ${doctype}`, text, values: [name] }
  const { rows } = await context.product.database.pool.query<{ row: string }>(prepared)
  return rows.map(({ row }) => row)
}

/** What differs between two traces, in short; null if nothing does. */
export function changedTrace(before: readonly string[], after: readonly string[]): string | null {
  const gone = before.filter((row) => !after.includes(row))
  const come = after.filter((row) => !before.includes(row))
  const changed = [...gone.map((row) => `- ${row}`), ...come.map((row) => `+ ${row}`)]
  return changed.length === 0 ? null : `a refused call changed ${changed.join(' ').slice(0, 2000)}`
}
