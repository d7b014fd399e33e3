import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { AnyDoc, Doctype } from '#shared/doctype.ts'
import type { Field } from '#shared/fields.ts'
import type { Session } from '#server/contracts/session.ts'
import type { Trx } from '#server/contracts/transaction.ts'
import { perDoctype } from './per-doctype.ts'
import { coerce } from './values.ts'

/**
 * Personal fields have a separate value for each user (a favorite, for example). They have no column in the document's
 * table: a row in this table means 1, no row means 0. Anyone who can read a document can set their own value, and nobody
 * sees other users' values.
 */
const table = sql.id('easydash_personal')

/** The table of personal values. Runs in the migration. */
export async function personalTables(trx: Trx): Promise<void> {
  await sql`create table if not exists easydash_personal ("user" text not null, doctype text not null,
    name text not null, field text not null, creation timestamp(6) not null default (now() at time zone 'utc'),
    primary key ("user", doctype, field, name))`.execute(trx)
  await sql`create index if not exists i_personal_document on easydash_personal (doctype, name)`.execute(trx)
}

/** Personal fields of a doctype, in order. */
export const personalFields = perDoctype((type): readonly (readonly [string, Field])[] =>
  Object.entries(type.fields).filter(([, field]) => field.personal === true),
)

/** The caller's value of a personal field, as SQL over the rows of `alias`. */
export function personalSql(type: Doctype, field: string, alias: string, session: Session): RawBuilder<unknown> {
  return sql`case when ${hasPersonalSql(type, field, alias, session)} then 1 else 0 end`
}

/** Whether the caller has set a personal field, as SQL over the rows of `alias`, which the index of names can find. */
export function hasPersonalSql(type: Doctype, field: string, alias: string, session: Session): RawBuilder<SqlBool> {
  // An array instead of `exists`: a user's few rows are looked up once, then each row is compared with them.
  return sql`${sql.ref(`${alias}.name`)} = any(array(select p.name from ${table} p
    where p."user" = ${session.user} and p.doctype = ${type.name} and p.field = ${field}))`
}

/** The personal fields that the caller has set for the row of alias `t`, as a JSON array in SQL. */
export function personalFieldsSql(type: Doctype, session: Session): RawBuilder<unknown> {
  if (personalFields(type).length === 0) return sql`null`
  return sql`array(select p.field from ${table} p
    where p."user" = ${session.user} and p.doctype = ${type.name} and p.name = t.name)`
}

/** Gives a document the caller's own personal values: those set before, and those that this request writes. */
export function withPersonalValues(
  type: Doctype,
  doc: AnyDoc,
  before: readonly string[],
  values: readonly [string, 0 | 1][] = [],
): AnyDoc {
  const shown = personalFields(type).filter(([name]) => Object.hasOwn(doc, name))
  if (shown.length === 0) return doc
  const now = new Map<string, 0 | 1>([...before.map((name) => [name, 1] as const), ...values])
  for (const [name] of shown) doc[name] = now.get(name) ?? 0
  return doc
}

/** The personal values a client sent, as 0 or 1. */
export function personalValues(type: Doctype, values: Record<string, unknown>): [string, 0 | 1][] {
  return personalFields(type).flatMap(([name, field]): [string, 0 | 1][] =>
    Object.hasOwn(values, name) ? [[name, coerce(name, field, values[name]) === 1 ? 1 : 0]] : [],
  )
}

/** Whether a client sent only personal values and nothing that would change the document itself. */
export function isPersonalOnly(type: Doctype, values: Record<string, unknown>): boolean {
  const declared = Object.keys(values).filter((name) => Object.hasOwn(type.fields, name))
  return declared.length > 0 && declared.every((name) => type.fields[name]?.personal === true)
}

/** Stores the caller's own values for a document they can read. */
export async function writePersonal(
  trx: Trx,
  session: Session,
  type: Doctype,
  name: string,
  values: readonly [string, 0 | 1][],
): Promise<void> {
  for (const [field, value] of values) {
    await (
      value === 1
        ? sql`insert into ${table} ("user", doctype, name, field)
            values (${session.user}, ${type.name}, ${name}, ${field}) on conflict do nothing`
        : sql`delete from ${table}
            where "user" = ${session.user} and doctype = ${type.name} and name = ${name} and field = ${field}`
    ).execute(trx)
  }
}

/** Deletes all users' personal values of a document that is being deleted. */
export async function deletePersonalValues(trx: Trx, type: Doctype, name: string): Promise<void> {
  if (personalFields(type).length === 0) return
  await sql`delete from ${table} where doctype = ${type.name} and name = ${name}`.execute(trx)
}
