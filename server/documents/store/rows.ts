import { tenantField, type AnyDoc, type Doctype } from '#shared/doctype.ts'
import { randomInt } from 'node:crypto'
import { CompiledQuery, sql, type RawBuilder } from 'kysely'
import { deletePersonalValues } from './personal.ts'
import { secretMask } from './values.ts'
import { canonicalJson } from '#shared/same-value.ts'
import { perDoctype } from './per-doctype.ts'
import { columnFields, columnNames, tableFields, tableName, tableRef } from './schema.ts'
import { documentOf, elsewhereColumns, fieldsElsewhere } from './stored-elsewhere.ts'
import { preparedMark, preparedStatement, preparedUpdate } from '#server/platform/database/prepared-statements.ts'
import type { Db } from '#server/contracts/transaction.ts'

const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789'

/**
 * Generates a document name: 10 lower-case letters and digits, starting with a letter because it is also used for folder and
 * host names.
 */
export function newName(): string {
  const first = alphabet[randomInt(26)]
  return first + Array.from({ length: 9 }, () => alphabet[randomInt(alphabet.length)]).join('')
}

/** Columns of a row as select list. JSON is returned parsed; secrets are replaced by a mask, or null if unset. */
function describedSelectList(type: Doctype): string {
  // Names of columns come from descriptions and are plain identifiers.
  const columns = columnNames(type).map((name) =>
    type.fields[name]?.secret
      ? `case when t."${name}" is null then null else '${secretMask}' end as "${name}"`
      : `t."${name}"`,
  )
  return [...columns, ...elsewhereColumns(type)].join(', ')
}

const selectList = perDoctype((type) => sql.raw(describedSelectList(type)))

/** A stored document with its child rows; null if there is none. Secrets are masked. */
export async function readDoc(
  db: Db,
  type: Doctype,
  name: string,
  typeByName: (name: string) => Doctype | null,
  options: ReadOptions = {},
): Promise<AnyDoc | null> {
  const doc = await readRow(db, type, name, options)
  if (doc) await readChildren(db, type, [doc], typeByName)
  return doc
}

interface ReadOptions {
  /** Locks the row for the transaction. */
  lock?: boolean
  /** Finds (and locks) the row only in this organization; for doctypes with a tenant field. */
  organization?: string | null
}

/** A stored document without its child rows; null if there is none. Secrets are masked. */
export async function readRow(db: Db, type: Doctype, name: string, options: ReadOptions = {}): Promise<AnyDoc | null> {
  return (await readRowWith(db, type, name, options, sql`null`))?.doc ?? null
}

/**
 * The same, with the value of an SQL expression over alias `t`. It sees what was committed before the statement, even if the
 * statement waited for the row's lock.
 */
export async function readRowWith(
  db: Db,
  type: Doctype,
  name: string,
  { lock, organization }: ReadOptions,
  extra: RawBuilder<unknown>,
): Promise<{ doc: AnyDoc; extra: unknown } | null> {
  const tenant = tenantField(type)
  const within = tenant && organization !== undefined ? sql`and ${sql.ref(`t.${tenant}`)} = ${organization}` : sql``
  // Names of fields are lower case.
  const found = await sql<
    AnyDoc & { EXTRA: unknown }
  >`${preparedStatement}select ${selectList(type)}, ${extra} as "EXTRA"
    from ${tableRef(type.name)} t where t.name = ${name} ${within} ${lock ? sql`for update of t` : sql``}`.execute(db)
  if (!found.rows[0]) return null
  const { EXTRA, ...row } = found.rows[0]
  return { doc: documentOf(type, row as AnyDoc), extra: EXTRA }
}

/** Adds the rows of each Table field to the documents. */
export async function readChildren(
  db: Db,
  type: Doctype,
  docs: AnyDoc[],
  typeByName: (name: string) => Doctype | null,
): Promise<void> {
  for (const [field, { options }] of tableFields(type)) {
    const child = typeByName(options)
    if (!child || docs.length === 0) continue
    // The text depends on how many documents there are.
    const first = docs.length === 1 ? preparedStatement : sql``
    const rows = await sql<AnyDoc>`${first}select ${selectList(child)} from ${tableRef(child.name)} t
      where t.parent in (${sql.join(docs.map((doc) => doc.name))}) and t.parentfield = ${field} order by t.idx, t.creation, t.name`.execute(
      db,
    )
    for (const doc of docs)
      doc[field] = rows.rows.filter((row) => row.parent === doc.name).map((row) => ({ ...row, doctype: child.name }))
  }
}

/** Documents that match the SQL condition over alias `t`. */
export async function readDocs(
  db: Db,
  type: Doctype,
  where: RawBuilder<unknown>,
  tail: RawBuilder<unknown>,
  typeByName: (name: string) => Doctype | null,
): Promise<AnyDoc[]> {
  const found =
    await sql<AnyDoc>`select ${selectList(type)} from ${tableRef(type.name)} t where ${where} ${tail}`.execute(db)
  const docs = found.rows.map((row) => documentOf(type, row))
  await readChildren(db, type, docs, typeByName)
  return docs
}

/** The given columns of the rows that match the SQL condition over alias `t`. */
export async function readColumns(
  db: Db,
  type: Doctype,
  columns: readonly string[],
  where: RawBuilder<unknown>,
  tail: RawBuilder<unknown>,
): Promise<Record<string, unknown>[]> {
  const selected = sql.join(columns.map((name) => sql.ref(`t.${name}`)))
  const found = await sql<Record<string, unknown>>`select ${selected} from ${tableRef(type.name)} t
    where ${where} ${tail}`.execute(db)
  return found.rows
}

/** The database's clock in the API's format: the single time source for `creation` and `modified` in all processes. */
export async function databaseNow(db: Db): Promise<string> {
  const found = await sql<{
    now: string
  }>`select cast(clock_timestamp() at time zone 'utc' as timestamp(6)) as now`.execute(db)
  return found.rows[0]?.now as string
}

/**
 * The database's time of a statement's start as SQL, for `creation` and `modified` of rows whose lock the transaction already
 * has or that are new.
 */
const statementTimeText = "cast(statement_timestamp() at time zone 'utc' as timestamp(6))"
export const statementTime = sql.raw(statementTimeText)

/** A field's value as a query parameter: JSON is serialized. */
export function bindable(type: Doctype, name: string, value: unknown): unknown {
  return type.fields[name]?.fieldtype === 'JSON' && value !== null && value !== undefined
    ? canonicalJson(value)
    : (value ?? null)
}

/** The statement of `insertRow`, written once per doctype, with the columns of its parameters. */
const insertStatement = perDoctype((type) => {
  const columns = columnNames(type)
  const given = columns.filter((name) => name !== 'creation' && name !== 'modified')
  const values = columns.map((name) => (given.includes(name) ? `$${given.indexOf(name) + 1}` : statementTimeText))
  const text = `${preparedMark}insert into "${tableName(type.name)}" as t (${columns.map((name) => `"${name}"`).join(', ')})
    values (${values.join(', ')}) returning ${describedSelectList(type)}`
  return { text, given }
})

/**
 * Inserts a row with the time of the statement as `creation` and `modified`. `sealed` holds the encrypted secrets by field.
 * Returns the stored document without child rows.
 */
export async function insertRow(
  db: Db,
  type: Doctype,
  doc: AnyDoc,
  sealed: Record<string, string | null>,
): Promise<AnyDoc | null> {
  const { text, given } = insertStatement(type)
  const values = given.map((name) =>
    type.fields[name]?.secret ? (sealed[name] ?? null) : bindable(type, name, doc[name]),
  )
  const made = await db.executeQuery<AnyDoc>(CompiledQuery.raw(text, values))
  const row = made.rows[0]
  return row ? documentOf(type, row) : null
}

/** Updates the given columns of a row. Returns the stored document without child rows; null if there is no such row. */
export async function updateRow(
  db: Db,
  type: Doctype,
  name: string,
  values: Record<string, unknown>,
  sealed: Record<string, string | null> = {},
): Promise<AnyDoc | null> {
  // Nearly all updates change the same few fields of a doctype.
  const [row] = await updateRows(db, type, sql`t.name = ${name}`, values, { sealed, first: preparedUpdate })
  return row ?? null
}

/**
 * Updates the given columns of the rows that match the SQL condition over alias `t`. Returns the stored documents without
 * child rows.
 */
export async function updateRows(
  db: Db,
  type: Doctype,
  where: RawBuilder<unknown>,
  values: Record<string, unknown>,
  { sealed = {}, first = sql`` }: { sealed?: Record<string, string | null>; first?: RawBuilder<unknown> } = {},
): Promise<AnyDoc[]> {
  const plain = Object.entries(values).filter(([key]) => !type.fields[key]?.secret)
  const sets = [...plain.map(([key, value]) => [key, bindable(type, key, value)] as const), ...Object.entries(sealed)]
  const changed = await sql<AnyDoc>`${first}update ${tableRef(type.name)} t
    set ${sql.join(sets.map(([key, value]) => sql`${sql.id(key)} = ${value}`))}
    where ${where} returning ${selectList(type)}`.execute(db)
  return changed.rows.map((row) => documentOf(type, row))
}

/** Deletes the rows that match the SQL condition over alias `t`. */
export async function deleteRows(db: Db, type: Doctype, where: RawBuilder<unknown>): Promise<void> {
  await sql`delete from ${tableRef(type.name)} t where ${where}`.execute(db)
}

/** Numbers of the rows that match the SQL condition over alias `t`, by the value of a column as text; null isn't counted. */
export async function countRowsBy(
  db: Db,
  type: Doctype,
  column: string,
  where: RawBuilder<unknown>,
): Promise<Map<string, number>> {
  const value = sql.ref(`t.${column}`)
  const { rows } = await sql<{ value: string; n: number }>`select cast(${value} as text) as value, count(*) as n
    from ${tableRef(type.name)} t where ${value} is not null and ${where} group by ${value}`.execute(db)
  return new Map(rows.map((row) => [row.value, Number(row.n)]))
}

/** Deletes a row, its child rows and all users' personal values. */
export async function deleteRow(
  db: Db,
  type: Doctype,
  name: string,
  typeByName: (name: string) => Doctype | null,
): Promise<void> {
  for (const [field, { options }] of tableFields(type)) {
    const child = typeByName(options)
    if (child)
      await sql`delete from ${tableRef(child.name)} where parent = ${name} and parentfield = ${field}`.execute(db)
  }
  await sql`delete from ${tableRef(type.name)} where name = ${name}`.execute(db)
  await deletePersonalValues(db, type, name)
}

/** The stored, encrypted text of a secret. */
export async function sealedValue(db: Db, type: Doctype, name: string, field: string): Promise<string | null> {
  const found = await sql<{
    value: string | null
  }>`select ${sql.id(field)} as value from ${tableRef(type.name)} where name = ${name}`.execute(db)
  return found.rows[0]?.value ?? null
}

/** A document with default values for all fields. */
export function emptyDoc(type: Doctype): AnyDoc {
  const stamps = { name: '', owner: '', creation: '', modified: '', modified_by: '' }
  const doc: AnyDoc = { doctype: type.name, ...stamps, docstatus: 0, idx: 0 }
  for (const [name, field] of columnFields(type)) doc[name] = field.default ?? (field.fieldtype === 'Check' ? 0 : null)
  for (const [name] of fieldsElsewhere(type)) doc[name] = null
  for (const [name] of tableFields(type)) doc[name] = []
  return doc
}
