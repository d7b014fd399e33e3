import type { AnyDoc, Doctype } from '#shared/doctype.ts'
import { organizationOf } from '../permissions/gate.ts'
import { columnFields } from './schema.ts'
import type { ActivityEntry } from '#server/contracts/transaction.ts'

/** The organization a document belongs to, independent of a caller. */
export function tenantOf(type: Doctype, doc: AnyDoc): string | null {
  return organizationOf(type, doc, { organization: null })
}

/** Reference to a document in an activity entry. */
export function referenceOf(
  type: Doctype,
  doc: AnyDoc,
): Pick<ActivityEntry, 'organization' | 'reference_doctype' | 'reference_name' | 'reference_title'> {
  const title = type.title_field ? doc[type.title_field] : doc.name
  return {
    organization: tenantOf(type, doc),
    reference_doctype: type.name,
    reference_name: doc.name,
    reference_title: String(title ?? doc.name),
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
