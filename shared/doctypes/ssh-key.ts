import { doctype, type Doc } from '../doctype.ts'
import { data, datetime, text } from '../fields.ts'

const measured = { read_only: true, server_owned: true } as const

/** A public key that lets a user sign in to servers and sites. Rows of `User Meta.ssh_key`; `parent` is the user. */
export const SshKeyDoctype = doctype('SSH Key', {
  module: 'core',
  tenant: { kind: 'user', field: 'parent' },
  naming: 'random',
  is_child: true,
  title_field: 'title',
  plural: 'SSH keys',
  track_activity: false,
  fields: {
    /** Default: the key's own comment, or its type. */
    title: data({ length: 100, in_list_view: true }),
    /** One line as in `id_ed25519.pub`; the comment isn't stored. */
    public_key: text({ reqd: true, length: 4000 }),
    /** `SHA256:…`, as ssh-keygen shows it. */
    fingerprint: data({ ...measured, length: 60, in_list_view: true }),
    added: datetime({ ...measured, in_list_view: true }),
  },
  indexes: [{ fields: ['parent', 'fingerprint'], unique: true }],
  permissions: {
    Self: { read: true, write: true, delete: true },
    // Users can only add keys to their own account, because a key grants access to the account's servers.
    User: { create: ['parent', '=', '$user'] },
  },
})

/** A row of `User Meta.ssh_key`. */
export type SshKey = Doc<typeof SshKeyDoctype>
