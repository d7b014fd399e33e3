import type { Doctype, Grant } from '../doctype.ts'
import type { Role } from '../fields.ts'

/** Whether a right holds only where the document itself is shared (or for other reasons of a rule). */
export function needsShare(grant: Grant | undefined): boolean {
  if (typeof grant !== 'object') return false
  if ('any' in grant) return grant.any.some(needsShare)
  if ('all' in grant) return grant.all.some(needsShare)
  return 'shared' in grant
}

/** Whether sharing a document with somebody of that role gives anything: who has his rights on all of them gains nothing. */
export function gainsByShares(type: Doctype, role: Role): boolean {
  const { read, write, delete: end } = type.permissions[role] ?? {}
  return [read, write, end, ...Object.values(type.actions ?? {}).map(({ allow }) => allow[role])].some(needsShare)
}
