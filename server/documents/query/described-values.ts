import type { AnyDoc, Doctype } from '#shared/doctype.ts'
import { sql, type RawBuilder } from 'kysely'
import { mayReadField, type AccessContext } from '../permissions/gate.ts'
import type { RuleContext } from '../permissions/rule-sql.ts'
import { perDoctype } from '../store/per-doctype.ts'
import { tableRef } from '../store/schema.ts'
import { detailsShownSql } from './activity-details.ts'
import type { Selected } from './select.ts'
import type { Db } from '#server/contracts/transaction.ts'
import type { TypeByName } from '#server/contracts/type-by-name.ts'

/**
 * Fields that hold field values of another document (`fields_of`), such as the changes in an activity entry. Callers get
 * only the values of fields they can read in that document; the others are removed.
 */

/**
 * A value without the fields of `type` that the caller's roles can't read. Keys the doctype doesn't describe (details of an
 * action) stay. Token scopes aren't checked here: a token that can read the log can read its contents.
 */
function readableValues(value: unknown, type: Doctype | null, accessContext: AccessContext): unknown {
  if (!type || typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const { token: _token, ...session } = accessContext.session
  const withoutScopes: AccessContext = { ...accessContext, session: { ...session, kind: 'cookie' } }
  const isReadable = (name: string) => !Object.hasOwn(type.fields, name) || mayReadField(withoutScopes, type, name)
  return Object.fromEntries(Object.entries(value).filter(([name]) => isReadable(name)))
}

/** The fields that hold such values, and the field that names their document's doctype. */
const describedFields = perDoctype((type) =>
  Object.entries(type.fields).flatMap(([name, { fields_of }]) => (fields_of ? [{ name, fields_of }] : [])),
)

const detailFields = perDoctype((type) =>
  Object.entries(type.fields).flatMap(([name, { is_detail }]) => (is_detail ? [name] : [])),
)

/** A document without the details that the caller can't see. */
export async function withoutHiddenDetails(db: Db, doc: AnyDoc, type: Doctype, context: RuleContext): Promise<AnyDoc> {
  const details = detailFields(type)
  const shown = details.length === 0 ? null : detailsShownSql(context)
  if (shown === null) return doc
  const { rows } = await sql`select 1 from ${tableRef(type.name)} t where t.name = ${doc.name} and ${shown}`.execute(db)
  return rows.length > 0 ? doc : { ...doc, ...Object.fromEntries(details.map((name) => [name, null])) }
}

/** A document with these fields reduced to what the caller can read. */
export function withReadableValues(
  doc: AnyDoc,
  accessContext: AccessContext,
  type: Doctype,
  typeByName: TypeByName,
): AnyDoc {
  const given = describedFields(type).filter(({ name }) => Object.hasOwn(doc, name))
  const shown = given.map(({ name, fields_of }) => {
    const of = doc[fields_of]
    return [name, readableValues(doc[name], typeof of === 'string' ? typeByName(of) : null, accessContext)]
  })
  return given.length === 0 ? doc : { ...doc, ...Object.fromEntries(shown) }
}

/**
 * For lists: the columns that hold the source doctypes of the selected fields, to select and group by in addition, and a
 * function that returns a row's values without those the caller can't read.
 */
export function describedInRows(
  selected: readonly Selected[],
  context: RuleContext,
): { sources: RawBuilder<unknown>[]; valueOf: (row: Record<string, unknown>, at: number) => unknown } {
  const { accessContext, typeByName } = context
  const named = selected.map(({ column }) => column?.field.fields_of)
  const sources = [...new Set(named)].filter((name) => name !== undefined)
  const withDetails = selected.some(({ column }) => column?.field.is_detail)
  const shown = withDetails ? detailsShownSql(context) : null
  return {
    sources: [...sources.map((name) => sql.ref(`t.${name}`)), ...(shown === null ? [] : [shown])],
    valueOf: (row, at) => {
      const value = row[`c${at}`] ?? null
      if (selected[at]?.column?.field.is_detail) {
        const isShown = shown === null || row[`d${sources.length}`] === true
        if (!isShown || selected[at].column.link) return null
      }
      const name = named[at]
      if (name === undefined) return value
      // Through a link, the row doesn't say which doctype the values belong to.
      if (selected[at]?.column?.link) return null
      const of = row[`d${sources.indexOf(name)}`]
      return readableValues(value, typeof of === 'string' ? typeByName(of) : null, accessContext)
    },
  }
}
