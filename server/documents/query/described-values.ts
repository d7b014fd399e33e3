import type { AnyDoc, Doctype } from '#shared/doctype.ts'
import { sql, type RawBuilder } from 'kysely'
import { mayReadField, type AccessContext } from '../permissions/gate.ts'
import type { Selected } from './select.ts'
import type { TypeByName } from '../type-by-name.ts'

/**
 * Fields that hold values of another document's fields (`fields_of`): what a change of it was, say. Whoever reads them
 * gets the values of the fields he may read of that document; the others are not there.
 */

/**
 * A value without the fields of `type` that the caller's roles do not read. What the doctype does not describe (facts of
 * an action) stays. A token's scopes are not asked here: who lets it read the log lets it read what the log says.
 */
function readableValues(value: unknown, type: Doctype | null, accessContext: AccessContext): unknown {
  if (!type || typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const { token: _token, ...session } = accessContext.session
  const person: AccessContext = { ...accessContext, session: { ...session, kind: 'cookie' } }
  const seen = (name: string) => !Object.hasOwn(type.fields, name) || mayReadField(person, type, name)
  return Object.fromEntries(Object.entries(value).filter(([name]) => seen(name)))
}

/** A document with such fields as the caller may see them. */
export function withReadableValues(
  doc: AnyDoc,
  accessContext: AccessContext,
  type: Doctype,
  typeByName: TypeByName,
): AnyDoc {
  const given = Object.entries(type.fields).filter(([name, field]) => field.fields_of && Object.hasOwn(doc, name))
  const shown = given.map(([name, field]) => {
    const of = doc[field.fields_of as string]
    return [name, readableValues(doc[name], typeof of === 'string' ? typeByName(of) : null, accessContext)]
  })
  return given.length === 0 ? doc : { ...doc, ...Object.fromEntries(shown) }
}

/**
 * For a list: what tells whose fields the selected columns hold, to be selected and grouped by beside them, and a row's
 * values without what the caller may not read.
 */
export function describedInRows(
  selected: readonly Selected[],
  accessContext: AccessContext,
  typeByName: TypeByName,
): { sources: RawBuilder<unknown>[]; valueOf: (row: Record<string, unknown>, at: number) => unknown } {
  const named = selected.map(({ column }) => column?.field.fields_of)
  const sources = [...new Set(named)].filter((name) => name !== undefined)
  return {
    sources: sources.map((name) => sql.ref(`t.${name}`)),
    valueOf: (row, at) => {
      const value = row[`c${at}`] ?? null
      const name = named[at]
      if (name === undefined) return value
      // Through a link the row says nothing of whose fields they are.
      if (selected[at]?.column?.link) return null
      const of = row[`d${sources.indexOf(name)}`]
      return readableValues(value, typeof of === 'string' ? typeByName(of) : null, accessContext)
    },
  }
}
