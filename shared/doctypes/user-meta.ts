import { doctype, type Doc } from '../doctype.ts'
import { check, data, json, link, table } from '../fields.ts'
import type { SshKey } from './ssh-key.ts'

/** Dashboard data of a user besides the account: current organization, SSH identity. */
export const UserMetaDoctype = doctype('User Meta', {
  module: 'core',
  tenant: { kind: 'user', field: 'user' },
  naming: 'field:user',
  title_field: 'user',
  plural: 'User metas',
  track_activity: false,
  fields: {
    user: link('User', { reqd: true, set_only_once: true }),
    current_organization: link('Organization', { read_only: true }),
    ssh_username: data({ format: 'username', length: 32 }),
    github_username: data({ length: 60 }),
    ssh_key: table<SshKey>('SSH Key', { label: 'SSH keys' }),
    is_github_authorised: check({ read_only: true }),
    preferences: json<Record<string, unknown>>({ label: 'Preferences' }),
  },
  permissions: {
    Self: { read: true, write: true },
    'Platform Admin': { read: true },
  },
})

/** A user's own settings row. */
export type UserMeta = Doc<typeof UserMetaDoctype>
