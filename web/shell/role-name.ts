import { roleLabels, type OrganizationRole } from '#shared/doctypes/organization-member.ts'

/** What people read for a role: Admin, Manager, Member. */
export function roleName(role: string): string {
  return roleLabels[role as OrganizationRole] ?? role
}
