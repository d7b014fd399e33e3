import type { Doctype } from '#shared/doctype.ts'
import { rolesOf, type Viewer } from './action-gate.ts'

/**
 * Whether a person's role reads a field of a doctype, by its description. What a role does not read is no column and no
 * filter; the server decides again on every call.
 */
export function readsField(type: Doctype, viewer: Viewer, name: string): boolean {
  const field = type.fields[name]
  if (!field) return true
  const roles = rolesOf(viewer, null)
  if (field.hidden || (field.read_roles && !field.read_roles.some((role) => roles.includes(role)))) return false
  const reading = roles.flatMap((role) => (type.permissions[role]?.read ? [type.permissions[role]] : []))
  if (reading.length === 0 || field.personal) return true
  return reading.some(({ fields = 'all' }) => fields === 'all' || fields.includes(name))
}
