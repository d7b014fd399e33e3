import type { OrganizationRole } from '#web/lib/session/session.tsx'
import { words } from '../messages.ts'

/** What people read for a role: Admin, Manager, Member. */
export function roleName(role: OrganizationRole): string {
  return words(`role.${role}`)
}
