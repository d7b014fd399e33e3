/** How PostgreSQL runs the statements that the document store sends, on many rows. */
import { sql } from 'kysely'
import pg from 'pg'
import { expect, vi } from 'vitest'
import { tenantField, type Doctype } from '#shared/doctype.ts'
import { sortableFields } from '#shared/rules/sortable-fields.ts'
import { tableName } from '#server/documents/store/schema.ts'
import type { TestDocuments } from './documents.ts'

/** A node of a plan. */
export interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: PlanNode[]
}

/** How a doctype's table was read. */
export interface TableReads {
  /** Types of the nodes that read it. */
  readonly scans: readonly string[]
  /** Rows that were looked at, found or not. */
  readonly rows: number
}

/** A statement as clients send it. */
interface Statement {
  readonly text: string
  readonly values: unknown[]
}

/** The first two arguments of `Client.query`: a text and values, or an object that has both. */
function statementOf([query, values]: unknown[]): Statement {
  const { text, values: own } = typeof query === 'string' ? { text: query, values } : (query as Partial<Statement>)
  return { text: text ?? '', values: Array.isArray(own) ? own : [] }
}

/** The statements that the work sends over the pool of the test's database, of all that this process sends meanwhile. */
export async function statementsOf({ test }: TestDocuments, work: () => Promise<unknown>): Promise<Statement[]> {
  const { pool } = test.database
  const used = new Set<pg.ClientBase>()
  const note = (client: pg.ClientBase): unknown => used.add(client)
  const spied = vi.spyOn(pg.Client.prototype, 'query')
  pool.on('acquire', note)
  try {
    await work()
    return spied.mock.calls.filter((_, call) => used.has(spied.mock.contexts[call] as pg.Client)).map(statementOf)
  } finally {
    pool.off('acquire', note)
    spied.mockRestore()
  }
}

/** How PostgreSQL reads the doctype's table for the statements on it that the work sends. */
export async function readsOf(t: TestDocuments, type: Doctype, work: () => Promise<unknown>): Promise<TableReads> {
  const table = tableName(type.name)
  const sent = (await statementsOf(t, work)).filter(({ text }) => text.includes(`from "${table}" t`))
  expect(sent).not.toEqual([])
  const nodes: PlanNode[] = []
  const add = (node: PlanNode): void => {
    if (node['Relation Name'] === table) nodes.push(node)
    node.Plans?.forEach(add)
  }
  for (const { text, values } of sent) {
    const { rows } = await t.test.database.pool.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `explain (analyze, format json) ${text}`,
      values,
    )
    add(rows[0]!['QUERY PLAN'][0].Plan)
  }
  const read = nodes.map((node) => {
    const passed = node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)
    return (passed + (node['Rows Removed by Index Recheck'] ?? 0)) * node['Actual Loops']
  })
  return { scans: nodes.map((node) => node['Node Type']), rows: read.reduce((sum, one) => sum + one, 0) }
}

/** A value of row `n` for a field, as SQL. */
function valueSql(type: Doctype, name: string): string {
  const field = type.fields[name]
  switch (field?.fieldtype) {
    case 'Select':
      return `(array[${field.options.map((option) => `'${option}'`).join(',')}])[1 + n % ${field.options.length}]`
    case 'Check':
      return 'n % 2'
    case 'Int':
    case 'Float':
      return 'n % 97'
    case 'Datetime':
      return "now() - n * interval '1 minute'"
    default:
      return `'${name} ' || n`
  }
}

/** Adds rows with values in all fields that lists are sorted by; every 50th is of the user. */
export async function addRows(
  { test }: TestDocuments,
  type: Doctype,
  { organization, user, count }: { organization: string; user: string; count: number },
): Promise<void> {
  const fields = sortableFields(type).filter((name) => name in type.fields)
  const tenant = tenantField(type)!
  // In parts: a statement has its time limit.
  for (let first = 1; first <= count; first += 2500)
    await sql`insert into ${sql.table(tableName(type.name))}
        (name, owner, creation, modified, modified_by, ${sql.id(tenant)}, ${sql.join(fields.map((name) => sql.id(name)))})
      select substr(md5(${organization} || n), 1, 10), case when n % 50 = 0 then ${user} else 'nobody@acme.example' end,
        now() - n * interval '1 minute', now() - (n % 977) * interval '1 hour', 'nobody@acme.example',
        ${organization}, ${sql.raw(fields.map((name) => valueSql(type, name)).join(', '))}
      from generate_series(${first}::int, ${Math.min(count, first + 2499)}::int) n`.execute(test.database.db)
}
