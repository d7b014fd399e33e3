import type { Doctype } from '#shared/doctype.ts'
import { rolesOf, type Viewer } from './viewer.ts'

/**
 * Whether the user's role can read a field, by its description. Unreadable fields are neither columns nor filters; the
 * server decides again on every call.
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
