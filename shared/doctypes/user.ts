import { doctype, type Doc } from '../doctype.ts'
import { check, data, date, datetime, json, select, text } from '../fields.ts'

/** Role that marks a verified user of the platform (operating contract). */
export const platformRole = 'Easydash User'

/** Role profile of platform admins. */
export const adminProfile = 'Easydash Admin'

const platformOnly = { read_roles: ['Platform Admin', 'Self'], server_owned: true } as const

/** An account. Its name is the e-mail address. Passwords and sessions live outside the document. */
export const UserType = doctype('User', {
  module: 'core',
  tenant: { kind: 'user', field: 'name' },
  area: 'members',
  naming: 'field:email',
  title_field: 'full_name',
  plural: 'Users',
  fields: {
    email: data({ reqd: true, format: 'email', set_only_once: true, in_list_view: true }),
    first_name: data({ reqd: true, length: 60 }),
    last_name: data({ length: 60 }),
    full_name: data({ read_only: true, length: 140, in_list_view: true, search_index: true }),
    username: data({ length: 60 }),
    enabled: check({ default: 1, server_owned: true }),
    email_verified: check({ ...platformOnly }),
    role_profile_name: data({ ...platformOnly }),
    roles: json<string[]>({ ...platformOnly }),
    gender: data({ length: 40 }),
    language: data({ default: 'en', length: 12 }),
    time_zone: data({ format: 'timezone', length: 60 }),
    user_image: data({ length: 300 }),
    location: data(),
    interest: data(),
    bio: text({ length: 1000 }),
    birth_date: date(),
    phone: data({ format: 'phone', length: 30 }),
    mobile_no: data({ format: 'phone', length: 30 }),
    accept_newsletter: check(),
    terms_accepted: datetime({ server_owned: true }),
    org_sku: select(['Free', 'Starter', 'Growth', 'Pro', 'Agency', 'Enterprise'], { server_owned: true }),
  },
  permissions: {
    'Platform Admin': { read: true },
    Self: { read: true, write: true },
    Owner: { read: true, fields: ['email', 'full_name', 'first_name', 'last_name', 'user_image'] },
    'Organization Admin': { read: true, fields: ['email', 'full_name', 'first_name', 'last_name', 'user_image'] },
    'Organization Manager': { read: true, fields: ['email', 'full_name', 'first_name', 'last_name', 'user_image'] },
    'Organization User': { read: true, fields: ['full_name', 'user_image'] },
  },
})

/** A user document. */
export type User = Doc<typeof UserType>
