import type { OrganizationRole } from '../doctypes/organization-member.ts'

/** Label of each role in an organization, and of its owner, as screens and emails show it (docs/glossary.md). */
export const roleLabels: Readonly<Record<OrganizationRole | 'Owner', string>> = {
  Owner: 'Owner',
  'Organization Admin': 'Admin',
  'Organization Manager': 'Manager',
  'Organization User': 'Member',
}
