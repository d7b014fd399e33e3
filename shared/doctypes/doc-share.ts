import { doctype, type Doc } from '../doctype.ts'
import { check, data, link } from '../fields.ts'

/** A document shared with one member. For the permission bits see docs/contracts/screens.md, section 3. */
export const DocShareDoctype = doctype('DocShare', {
  module: 'core',
  tenant: { kind: 'link', field: 'organization' },
  naming: 'random',
  plural: 'Shares',
  rights_of: 'user',
  fields: {
    organization: link('Organization', { reqd: true, set_only_once: true }),
    share_doctype: data({ reqd: true, set_only_once: true }),
    share_name: data({ reqd: true, set_only_once: true }),
    user: link('User', { reqd: true, set_only_once: true }),
    read: check({ default: 1 }),
    write: check(),
    share: check(),
    /** Always 0, never shown. */
    submit: check({ server_owned: true, hidden: true }),
  },
  indexes: [{ fields: ['share_doctype', 'share_name', 'user'], unique: true }, { fields: ['user', 'share_doctype'] }],
  permissions: {
    Owner: { read: true },
    'Organization Admin': { read: true },
    'Organization Manager': { read: true },
    'Organization User': { read: ['user', '=', '$user'] },
  },
})

/** A share row. */
export type DocShare = Doc<typeof DocShareDoctype>
