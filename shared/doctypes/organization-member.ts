import { doctype, type Doc } from '../doctype.ts'
import { link, select } from '../fields.ts'

/** Roles inside an organization, highest first (tests/permissions/matrix.md). */
export const organizationRoles = ['Organization Admin', 'Organization Manager', 'Organization User'] as const

/** One of the roles of `organizationRoles`. */
export type OrganizationRole = (typeof organizationRoles)[number]

/** A user's membership in an organization: the only source of their role there. */
export const OrganizationMemberDoctype = doctype('Organization Member', {
  module: 'core',
  tenant: { kind: 'link', field: 'parent' },
  area: 'members',
  naming: 'random',
  is_child: true,
  title_field: 'user',
  rights_of: 'user',
  plural: 'Members',
  fields: {
    user: link('User', { reqd: true, set_only_once: true, in_list_view: true }),
    organization_role: select(organizationRoles, {
      reqd: true,
      default: 'Organization User',
      label: 'Role',
      in_list_view: true,
    }),
  },
  indexes: [{ fields: ['parent', 'user'], unique: true }, { fields: ['user'] }],
  permissions: {
    'Platform Admin': { read: true, write: true, delete: true },
    Owner: { read: true, write: true, delete: true },
    'Organization Admin': { read: true, write: true, delete: true },
    'Organization Manager': { read: true },
    'Organization User': { read: ['user', '=', '$user'] },
  },
  actions: {
    password_link: {
      label: 'Link for a new password',
      activity: 'gave a link for a new password to',
      allow: { Owner: true, 'Organization Admin': true },
      reauth: true,
      hidden: true,
      returns: 'PasswordLink',
    },
  },
})

/** A member row. `parent` is the organization. */
export type OrganizationMember = Doc<typeof OrganizationMemberDoctype>
