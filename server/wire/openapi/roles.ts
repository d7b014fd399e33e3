import type { Action, Doctype, Grant } from '#shared/doctype.ts'

/** Roles that may perform an operation; "no one" if there is none. */
export function rolesWith(type: Doctype, operation: 'read' | 'create' | 'write' | 'delete'): string {
  return rolesIn(Object.entries(type.permissions).map(([role, permission]) => [role, permission?.[operation]] as const))
}

function rolesIn(grants: readonly (readonly [role: string, grant: Grant | undefined])[]): string {
  const granted = grants.filter(([, grant]) => grant !== undefined && grant !== false)
  if (granted.length === 0) return 'no one'
  return granted.map(([role, grant]) => (grant === true ? role : `${role} (some documents)`)).join(', ')
}

/** Roles that may run an action. */
export function rolesOfAction(action: Action): string {
  return rolesIn(Object.entries(action.allow).map(([role, grant]) => [role, grant] as const))
}
