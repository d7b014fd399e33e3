import type { OrganizationRole } from '#web/lib/session/session.tsx'
import { words } from '../messages.ts'

/** Label of a role: Admin, Manager, Member. */
export function roleName(role: OrganizationRole): string {
  return words(`role.${role}`)
}
