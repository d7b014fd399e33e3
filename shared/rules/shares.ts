import type { Doctype, Grant } from '../doctype.ts'
import type { Role } from '../fields.ts'

/** Whether a grant depends on the document, or one that it links to, being shared (alone or among other conditions). */
export function needsShare(grant: Grant | undefined): boolean {
  if (typeof grant !== 'object') return false
  if ('any' in grant) return grant.any.some(needsShare)
  if ('all' in grant) return grant.all.some(needsShare)
  return 'shared' in grant || ('link' in grant && needsShare(grant.matches))
}

/** Whether a role gains anything when a document is shared with it. Roles with rights on all documents gain nothing. */
export function benefitsFromShares(type: Doctype, role: Role): boolean {
  const { read, write, delete: end } = type.permissions[role] ?? {}
  return [read, write, end, ...Object.values(type.actions ?? {}).map(({ allow }) => allow[role])].some(needsShare)
}
