import { organizationRoles, type OrganizationRole } from '#shared/doctypes/organization-member.ts'
import { tMember } from './member-messages.ts'

/** What a role allows, in one line. */
export function roleHint(role: OrganizationRole): string {
  return tMember(`role_hint.${role}`)
}

/** Roles a user can assign: admins all of them, managers only members. */
export function assignableRoles(own: OrganizationRole | undefined): readonly OrganizationRole[] {
  if (own === 'Organization Admin') return organizationRoles
  return own === 'Organization Manager' ? ['Organization User'] : []
}
