import { doctype, type Doc } from '../doctype.ts'
import { check, data, date, datetime, json, select, text } from '../fields.ts'
import { planNames } from '../rules/plans.ts'

/** Role that marks a verified user of the platform. */
export const platformRole = 'Easydash User'

/** Role profile of platform admins. */
export const adminProfile = 'Easydash Admin'

/** State and rights of an account: set by the server and the platform admin. */
const rights = { server_owned: true, write_roles: ['Platform Admin'] } as const
const seenByPerson = { read_roles: ['Platform Admin', 'Self'] } as const

/** Personal details: only the users themselves can edit them. */
const own = { write_roles: ['Self'] } as const

/** An account. Its name is the email address. Passwords and sessions are stored outside the document. */
export const UserDoctype = doctype('User', {
  module: 'core',
  tenant: { kind: 'user', field: 'name' },
  area: 'members',
  attachments: true,
  naming: 'field:email',
  title_field: 'full_name',
  plural: 'Users',
  fields: {
    email: data({ ...own, reqd: true, format: 'email', set_only_once: true, in_list_view: true }),
    first_name: data({ ...own, reqd: true, length: 60 }),
    last_name: data({ ...own, length: 60 }),
    full_name: data({ read_only: true, length: 140, in_list_view: true, search_index: true }),
    username: data({ ...own, length: 60 }),
    enabled: check({ default: 1, ...rights }),
    email_verified: check({ ...seenByPerson, server_owned: true }),
    role_profile_name: data({ ...rights, ...seenByPerson }),
    roles: json<string[]>({ ...rights, ...seenByPerson }),
    gender: data({ ...own, length: 40 }),
    language: data({ ...own, default: 'en', length: 12 }),
    time_zone: data({ ...own, format: 'timezone', length: 60 }),
    user_image: data({ ...own, length: 300 }),
    location: data({ ...own }),
    interest: data({ ...own }),
    bio: text({ ...own, length: 1000 }),
    birth_date: date({ ...own }),
    phone: data({ ...own, format: 'phone', length: 30 }),
    mobile_no: data({ ...own, format: 'phone', length: 30 }),
    accept_newsletter: check({ ...own }),
    /** Whether it logs in with two-factor authentication; written with the factor itself. */
    two_factor: check({ server_owned: true, hidden: true }),
    terms_accepted: datetime({ server_owned: true }),
    org_sku: select(planNames, { server_owned: true }),
  },
  refused: {
    new_password:
      'Passwords are not changed here. Call frappe.core.doctype.user.user.update_password with old_password and new_password.',
    logout_all_sessions: 'Sessions are not ended here. Call easydash.api.sessions.end_others.',
  },
  permissions: {
    // Only to enable an account and set its rights: every other field can be edited only by its owner.
    'Platform Admin': { read: true, write: true },
    Self: { read: true, write: true },
    Owner: { read: true, fields: ['email', 'full_name', 'first_name', 'last_name', 'user_image'] },
    'Organization Admin': { read: true, fields: ['email', 'full_name', 'first_name', 'last_name', 'user_image'] },
    'Organization Manager': { read: true, fields: ['email', 'full_name', 'first_name', 'last_name', 'user_image'] },
    'Organization User': { read: true, fields: ['full_name', 'user_image'] },
  },
})

/** A user document. */
export type User = Doc<typeof UserDoctype>
