import {
  databaseRows,
  databaseTables,
  databaseValue,
  type DatabaseRows,
  type DatabaseTables,
  type DatabaseValue,
} from '#shared/responses/site-database.ts'
import { cellOperators, type CellOperator } from '#shared/rules/site-database.ts'
import { runAction } from '#web/lib/api/api.ts'
import { checkedResult } from '#web/lib/api/checked-response.ts'
import { refetchAll } from '#web/lib/api/data-client.ts'
import { methodKey } from '#web/lib/api/data-keys.ts'
import { useMethod, type Loaded } from '#web/lib/api/frappe.tsx'

/** Which rows of which table are shown. */
export interface ShownRows {
  readonly table: string
  /** '' for the order of the table. */
  readonly sort: string
  readonly descending: boolean
  /** Column of the filter; '' for none. */
  readonly column: string
  readonly operator: CellOperator
  readonly value: string
  readonly start: number
}

const names = ['table', 'sort', 'desc', 'column', 'op', 'value', 'from'] as const

/** What the URL says is shown; null: no table is chosen. */
export function shownRowsOf(params: URLSearchParams): ShownRows | null {
  const table = params.get('table') ?? ''
  if (table === '') return null
  const start = Number(params.get('from') ?? 0)
  return {
    table,
    sort: params.get('sort') ?? '',
    descending: params.get('desc') === '1',
    column: params.get('column') ?? '',
    operator: cellOperators.find((operator) => operator === params.get('op')) ?? 'contains',
    value: params.get('value') ?? '',
    start: Number.isSafeInteger(start) && start > 0 ? start : 0,
  }
}

/** The URL's parameters for what is shown; the others stay. */
export function paramsOf(current: URLSearchParams, shown: ShownRows): URLSearchParams {
  const params = new URLSearchParams(current)
  for (const name of names) params.delete(name)
  params.set('table', shown.table)
  if (shown.sort !== '') params.set('sort', shown.sort)
  if (shown.sort !== '' && shown.descending) params.set('desc', '1')
  if (shown.column !== '') {
    params.set('column', shown.column)
    params.set('op', shown.operator)
    params.set('value', shown.value)
  }
  if (shown.start > 0) params.set('from', String(shown.start))
  return params
}

/** The rows of a table from the start, unsorted and unfiltered. */
export const allRowsOf = (table: string): ShownRows => ({
  table,
  sort: '',
  descending: false,
  column: '',
  operator: 'contains',
  value: '',
  start: 0,
})

const reading = { verb: 'POST', revalidateOnFocus: false } as const

/** The tables of a site's database. */
export function useTables(site: string): Loaded<DatabaseTables> {
  return useMethod(
    'run_doc_method',
    { dt: 'Site', dn: site, method: 'database_tables', args: {} },
    { ...reading, returns: databaseTables },
  )
}

/** Rows of a table. */
export function useRows(site: string, shown: ShownRows): Loaded<DatabaseRows> {
  const args = {
    table: shown.table,
    start: shown.start,
    ...(shown.sort !== '' && { sort: shown.sort, descending: shown.descending ? 1 : 0 }),
    ...(shown.column !== '' && {
      filter_column: shown.column,
      filter_operator: shown.operator,
      filter_value: shown.value,
    }),
  }
  return useMethod(
    'run_doc_method',
    { dt: 'Site', dn: site, method: 'database_rows', args },
    { ...reading, returns: databaseRows, keepPrevious: true },
  )
}

/** A part of a value. */
export async function readValue(
  site: string,
  query: { table: string; column: string; row: string; start: number },
): Promise<DatabaseValue> {
  return checkedResult(databaseValue, await runAction('Site', site, 'database_cell', query))
}

/** Reads what is shown of a database again. */
export async function rereadDatabase(site: string): Promise<void> {
  const of = (method: string) => refetchAll(methodKey('run_doc_method', { dt: 'Site', dn: site, method }))
  await Promise.all([of('database_tables'), of('database_rows')])
}
