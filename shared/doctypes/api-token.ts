import { doctype, type Doc } from '../doctype.ts'
import { check, data, datetime, json, link, select } from '../fields.ts'
import type { TokenScope } from '../rules/token-scopes.ts'
import { organizationRoles } from './organization-member.ts'

const set = { read_only: true, server_owned: true } as const

/**
 * A token for programs: it acts as its creator in one organization, limited to this role and these scopes. The secret is
 * shown once on creation (`easydash.api.tokens.create`, after a recent password check); only its hash is stored. The doctype
 * has no scope area, so tokens can't read or create tokens.
 */
export const ApiTokenDoctype = doctype('API Token', {
  module: 'core',
  tenant: { kind: 'link', field: 'organization' },
  naming: 'random',
  title_field: 'title',
  plural: 'API tokens',
  rights_of: 'user',
  fields: {
    organization: link('Organization', { reqd: true, ...set }),
    user: link('User', { reqd: true, ...set, in_list_view: true, in_standard_filter: true }),
    title: data({ reqd: true, ...set, length: 80, in_list_view: true }),
    role: select(organizationRoles, { reqd: true, ...set, in_list_view: true, description: 'The limit.' }),
    scopes: json<TokenScope[]>({ ...set, is_list: 'texts' }),
    /** Null: valid until revoked. */
    expires: datetime({ ...set, in_list_view: true }),
    /** Updated at most once a minute. */
    last_used: datetime({ ...set, in_list_view: true }),
    last_ip: data({ ...set, length: 45, label: 'Last address' }),
    enabled: check({ default: 1, ...set, in_standard_filter: true }),
    /** Public first half of the credentials. */
    api_key: data({ reqd: true, ...set, length: 40, unique: true, label: 'Key' }),
    secret_hash: data({ server_owned: true, hidden: true, length: 64 }),
  },
  list: { order_by: 'creation desc' },
  permissions: {
    'Platform Admin': { read: true, delete: true },
    Owner: { read: true, delete: true },
    'Organization Admin': { read: true, delete: true },
    'Organization Manager': { read: ['user', '=', '$user'], delete: ['user', '=', '$user'] },
    'Organization User': { read: ['user', '=', '$user'], delete: ['user', '=', '$user'] },
  },
  actions: {
    revoke: {
      label: 'Revoke',
      activity: 'revoked an API token',
      allow: {
        'Platform Admin': true,
        Owner: true,
        'Organization Admin': true,
        'Organization Manager': ['user', '=', '$user'],
        'Organization User': ['user', '=', '$user'],
      },
      confirm: 'Programs that use this token stop working immediately.',
      danger: true,
    },
  },
})

/** An API token without its secret. */
export type ApiToken = Doc<typeof ApiTokenDoctype>
