import type { OrganizationRole } from '#shared/doctypes/organization-member.ts'
import { roleLabels } from '#shared/rules/role-labels.ts'
import { translateText } from '#web/lib/i18n/catalog.ts'

/** Label of a role in the user's language: Owner, Admin, Manager, Member. */
export function roleLabel(role: OrganizationRole | 'Owner'): string {
  return translateText(roleLabels[role])
}
