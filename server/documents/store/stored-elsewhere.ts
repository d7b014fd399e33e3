import type { AnyDoc, Doctype } from '#shared/doctype.ts'
import type { FieldOptions } from '#shared/fields.ts'
import { sameValue } from '#shared/same-value.ts'
import { perDoctype } from './per-doctype.ts'
import { tableName } from './schema.ts'
import { secretMask } from './values.ts'

/*
 * Fields whose values are those of another document (`stored_in`). They have no column in the document's own table: reads look
 * them up, and the hooks of the doctype's controllers write the other document. All are texts.
 */

type StoredIn = NonNullable<FieldOptions['stored_in']>

/** These fields of a doctype, in order, and where their values are. */
export const fieldsElsewhere = perDoctype((type): readonly (readonly [string, StoredIn])[] =>
  Object.entries(type.fields).flatMap(([name, { stored_in }]) => (stored_in ? [[name, stored_in] as const] : [])),
)

/** Which rows of `e` have these values. All of it comes from descriptions, never from a client. */
function matchSql(where: StoredIn['where']): string {
  const equal = ([key, value]: [string, string | number]) =>
    `e."${key}" = ${typeof value === 'number' ? value : `'${value}'`}`
  return ['true', ...Object.entries(where).map(equal)].join(' and ')
}

/** The value of such a field as SQL text, for the rows of `alias`. */
export function elsewhereSql(name: string, { doctype, link, where }: StoredIn, alias: string): string {
  return `(select e."${name}" from "${tableName(doctype)}" e where e."${link}" = ${alias}.name and ${matchSql(where)})`
}

/** Column of `elsewhereColumns`; names of fields are lower case. */
type WithElsewhere = { readonly ELSEWHERE?: Readonly<Record<string, unknown>> }

/**
 * The values of all these fields for the row of alias `t`, as one SQL column for `documentOf`: looked up together, which
 * takes a tenth of the time. Secrets are masked. Empty for doctypes without such fields.
 */
export function elsewhereColumns(type: Doctype): string[] {
  const [first] = fieldsElsewhere(type)
  if (!first) return []
  const values = fieldsElsewhere(type).map(([name, { where }]) => {
    const isHere = `filter (where ${matchSql(where)})`
    const value = type.fields[name]?.secret
      ? `case when count(e."${name}") ${isHere} > 0 then '${secretMask}' end`
      : `max(e."${name}") ${isHere}`
    return `'${name}', ${value}`
  })
  const [, { doctype, link, where }] = first
  // What they have in common keeps the other rows out.
  const common = Object.entries(where).filter(([key, value]) =>
    fieldsElsewhere(type).every(([, other]) => other.where[key] === value),
  )
  const rows = `"${tableName(doctype)}" e where e."${link}" = t.name and ${matchSql(Object.fromEntries(common))}`
  return [`(select json_build_object(${values.join(', ')}) from ${rows}) as "ELSEWHERE"`]
}

/** A row as a document, without the rows of its tables. */
export function documentOf(type: Doctype, { ELSEWHERE, ...row }: AnyDoc & WithElsewhere): AnyDoc {
  return { ...row, ...ELSEWHERE, doctype: type.name }
}

/** Names of these fields whose values a write changes. */
export function changedElsewhere(
  type: Doctype,
  doc: Readonly<Record<string, unknown>>,
  before: Readonly<Record<string, unknown>>,
): string[] {
  return fieldsElsewhere(type).flatMap(([name]) => (sameValue(doc[name] ?? null, before[name] ?? null) ? [] : [name]))
}
