import { doctype } from './doctype.ts'
import { organizationRoles } from './doctypes/organization-member.ts'
import { data, datetime, int, select } from './fields.ts'

const allRead = { read: true } as const

/**
 * A row in the list of users, described like a doctype so that list components can render, filter and sort it and views of
 * it can be saved. It isn't a stored document: rows combine members and invitations.
 */
export const MemberRowDoctype = doctype('Person', {
  module: 'core',
  tenant: { kind: 'platform' },
  naming: 'random',
  title_field: 'member',
  plural: 'Users',
  fields: {
    member: data({ label: 'Member', in_list_view: true }),
    user: data({ search_index: true, label: 'Email' }),
    organization_role: select(organizationRoles, {
      label: 'Role',
      in_list_view: true,
      in_standard_filter: true,
    }),
    status: select(['Joined', 'Pending', 'Expired'], {
      label: 'Status',
      in_list_view: true,
      in_standard_filter: true,
    }),
    sites: int({ label: 'Sites shared', in_list_view: true }),
    ssh_keys: int({ label: 'SSH keys', in_list_view: true, read_roles: ['Owner', 'Organization Admin'] }),
    two_factor: select(['On', 'Off'], {
      label: '2FA',
      in_list_view: true,
      in_standard_filter: true,
      read_roles: ['Owner', 'Organization Admin'],
    }),
    last_active: datetime({
      label: 'Last active',
      in_list_view: true,
      read_roles: ['Owner', 'Organization Admin'],
    }),
    added: datetime({ label: 'Added', in_list_view: true }),
  },
  list: { order_by: 'status asc' },
  permissions: {
    'Platform Admin': allRead,
    Owner: allRead,
    'Organization Admin': allRead,
    'Organization Manager': allRead,
  },
})
