import type { AnyDoc, Doctype } from '#shared/doctype.ts'
import { organizationOf } from '../permissions/gate.ts'
import { displayName } from '#shared/rules/display-name.ts'
import { columnFields } from './schema.ts'
import type { Reference } from '#server/contracts/transaction.ts'

/** The organization a document belongs to, independent of a caller. */
export function tenantOf(type: Doctype, doc: AnyDoc): string | null {
  return organizationOf(type, doc, { organization: null })
}

/** Reference to a document in jobs and activity entries: by the name people gave it, with its address if that says more. */
export function referenceOf(type: Doctype, doc: AnyDoc): Reference {
  const title = displayName(type, doc) ?? doc.name
  const address = type.display_field && type.title_field ? doc[type.title_field] : null
  return {
    organization: tenantOf(type, doc),
    reference_doctype: type.name,
    reference_name: doc.name,
    reference_title: title,
    ...(typeof address === 'string' && address !== title && { reference_address: address }),
  }
}

/** Fields worth recording: set, not hidden, and different from the default. */
export function nonDefaultFields(type: Doctype, doc: AnyDoc): Record<string, unknown> {
  return Object.fromEntries(
    columnFields(type)
      .filter(([name, field]) => !field.hidden && doc[name] !== null && doc[name] !== (field.default ?? 0))
      .map(([name]) => [name, doc[name]]),
  )
}
