import { organizationRoles, type OrganizationRole } from '#shared/doctypes/organization-member.ts'
import { words } from './member-messages.ts'

/** What people read for a role: Admin, Manager, Member (tests/permissions/matrix.md). */
export function roleLabel(role: OrganizationRole): string {
  return words(`role.${role}`)
}

/** What a role lets a person do, in one line. */
export function roleHint(role: OrganizationRole): string {
  return words(`role_hint.${role}`)
}

/** Roles a person may give: those up to the own one; a manager invites members only. */
export function rolesToGive(own: OrganizationRole | undefined): readonly OrganizationRole[] {
  if (own === 'Organization Admin') return organizationRoles
  return own === 'Organization Manager' ? ['Organization User'] : []
}
