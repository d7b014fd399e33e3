import type { AnyDoc } from '#shared/doctype.ts'
import type { Role } from '#shared/fields.ts'
import type { Session } from '#web/lib/session/session.tsx'

/** The current user as far as actions depend on them. The server decides again on every call. */
export interface Viewer {
  readonly user: string
  /** Role in the current organization; null without one. */
  readonly role: Role | null
  readonly owner: boolean
  readonly platformAdmin: boolean
}

/** The current user as a viewer. */
export function viewerOf({ user, organization, platformAdmin }: Session): Viewer {
  return { user: user ?? '', role: organization?.role ?? null, owner: organization?.owner ?? false, platformAdmin }
}

/** Roles of the viewer for a document, as named in permissions. */
export function rolesOf(viewer: Viewer, doc: AnyDoc | null): Role[] {
  const roles: Role[] = ['User']
  if (viewer.platformAdmin) roles.push('Platform Admin')
  if (viewer.owner) roles.push('Owner')
  if (viewer.role) roles.push(viewer.role)
  if (doc?.doctype === 'User' && doc.name === viewer.user) roles.push('Self')
  return roles
}
