import { childFields, standardFields, tenantField, type Doctype } from '#shared/doctype.ts'
import type { Field, FieldType, LinkField } from '#shared/fields.ts'
import { sortableFields } from '#shared/rules/sortable-fields.ts'
import { createHash } from 'node:crypto'
import { sql, type RawBuilder } from 'kysely'
import type { Trx } from '#server/contracts/transaction.ts'
import { perDoctype } from './per-doctype.ts'

/** SQL column type of each field type; a Table field has no column. */
const columnTypes: Record<Exclude<FieldType, 'Table'>, string> = {
  Data: 'text',
  'Small Text': 'text',
  'Long Text': 'text',
  Select: 'text',
  Link: 'text',
  Password: 'text',
  Check: 'smallint not null default 0',
  Int: 'bigint',
  Float: 'double precision',
  Datetime: 'timestamp(6)',
  Date: 'date',
  JSON: 'jsonb',
}

/** Table name of a doctype, for example `tab_organization_member`. */
export function tableName(doctype: string): string {
  return `tab_${doctype.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')}`
}

/** Quoted table of a doctype for use in `sql` templates. */
export function tableRef(doctype: string): RawBuilder<unknown> {
  return sql.id(tableName(doctype))
}

/** A field with a column of its own. */
type ColumnField = Field & { readonly fieldtype: Exclude<FieldType, 'Table'> }

/** Fields of a doctype that have a column, in order. Personal values are stored in a separate table, others in another document. */
export const columnFields = perDoctype((type): readonly (readonly [string, ColumnField])[] =>
  Object.entries(type.fields).filter(
    (entry): entry is [string, ColumnField] =>
      entry[1].fieldtype !== 'Table' && entry[1].personal !== true && entry[1].stored_in === undefined,
  ),
)

/** Fields that hold rows of a child doctype. */
export const tableFields = perDoctype((type): readonly (readonly [string, LinkField<unknown, 'Table'>])[] =>
  Object.entries(type.fields).filter(
    (entry): entry is [string, LinkField<unknown, 'Table'>] => entry[1].fieldtype === 'Table',
  ),
)

/** Whether a field's column is text. */
export function isTextField(field: Field | undefined): boolean {
  return field !== undefined && field.fieldtype !== 'Table' && columnTypes[field.fieldtype] === 'text'
}

/** Names of all columns of a doctype's table. */
export const columnNames = perDoctype((type): readonly string[] => [
  ...standardFields,
  ...(type.is_child ? childFields : []),
  ...columnFields(type).map(([name]) => name),
])

/** Indexes of a doctype: declared ones and derived ones (tenant with what lists are sorted by). */
function indexes(
  type: Doctype,
): { fields: readonly string[]; unique?: boolean | undefined; where?: string | undefined }[] {
  const tenant = tenantField(type)
  // The name breaks ties of every order.
  const base = sortableFields(type).map((name) => ({
    fields: tenant ? [tenant, name, 'name'] : [name, 'name'],
  }))
  const links = columnFields(type)
    .filter(([name, field]) => field.fieldtype === 'Link' && name !== tenant)
    .map(([name]) => ({ fields: [name] }))
  const uniques = columnFields(type)
    .filter(([, field]) => field.unique)
    .map(([name]) => ({ fields: [name], unique: true }))
  const parents = type.is_child && tenant !== 'parent' ? [{ fields: ['parent'] }] : []
  return [...base, ...links, ...uniques, ...parents, ...(type.indexes ?? [])]
}

/** Name of an index: readable, within PostgreSQL's 63 bytes, and unique per list of fields. */
function indexName(type: Doctype, fields: readonly string[], unique: boolean): string {
  const name = `${unique ? 'u' : 'i'}_${tableName(type.name).slice(4)}_${fields.join('_')}`
  if (name.length <= 63) return name
  return `${name.slice(0, 54)}_${createHash('sha256').update(name).digest('hex').slice(0, 8)}`
}

/** Adds the tables, columns and indexes of the descriptions that are missing. Removes nothing. Runs in the migration. */
export async function addMissingSchema(trx: Trx, types: readonly Doctype[]): Promise<void> {
  const existing = await sql<{ table_name: string; column_name: string }>`
    select table_name, column_name from information_schema.columns where table_schema = current_schema()`.execute(trx)
  const columns = new Map<string, Set<string>>()
  for (const row of existing.rows) {
    const set = columns.get(row.table_name) ?? new Set()
    columns.set(row.table_name, set.add(row.column_name))
  }
  const known = await sql<{ indexname: string }>`
    select indexname from pg_indexes where schemaname = current_schema()`.execute(trx)
  const haveIndex = new Set(known.rows.map((row) => row.indexname))

  for (const type of types) {
    const table = tableName(type.name)
    const have = columns.get(table)
    if (!have) await sql`create table ${sql.id(table)} (${sql.raw(standardColumns(type))})`.execute(trx)
    for (const [name, field] of columnFields(type)) {
      if (have?.has(name)) continue
      const columnType = columnTypes[field.fieldtype] + (field.computed ? ' not null default 0' : '')
      await sql`alter table ${sql.id(table)} add column if not exists ${sql.id(name)} ${sql.raw(columnType)}`.execute(
        trx,
      )
    }
    for (const index of indexes(type)) {
      const name = indexName(type, index.fields, index.unique ?? false)
      if (haveIndex.has(name)) continue
      haveIndex.add(name)
      const list = sql.join(index.fields.map((field) => sql.id(field)))
      const where = index.where ? sql`where ${sql.raw(index.where)}` : sql``
      await sql`create ${sql.raw(index.unique ? 'unique' : '')} index if not exists ${sql.id(name)} on ${sql.id(table)} (${list}) ${where}`.execute(
        trx,
      )
    }
    if (type.append_only) await addAppendOnlyTriggers(trx, table)
  }
}

/** Columns of every table. The name is the primary key. */
function standardColumns(type: Doctype): string {
  const child = type.is_child ? ', parent text, parentfield text, parenttype text' : ''
  return `name text primary key, owner text not null, creation timestamp(6) not null, modified timestamp(6) not null,
    modified_by text not null, docstatus smallint not null default 0, idx integer not null default 0${child}`
}

/** Adds triggers that reject update, delete and truncate, even from our own code. */
async function addAppendOnlyTriggers(trx: Trx, table: string): Promise<void> {
  await sql`create or replace function easydash_refuse_change() returns trigger language plpgsql as
    $$ begin raise exception 'rows of % are append-only', tg_table_name; end $$`.execute(trx)
  await sql`create or replace trigger append_only before update or delete on ${sql.id(table)}
    for each row execute function easydash_refuse_change()`.execute(trx)
  await sql`create or replace trigger append_only_truncate before truncate on ${sql.id(table)}
    for each statement execute function easydash_refuse_change()`.execute(trx)
}
