import { doctype } from '#shared/doctype.ts'
import { check, data, int, json, link, secret, select } from '#shared/fields.ts'

/** A new entity needs only a doctype file: this doctype isn't mentioned anywhere in the product. */
export const GadgetDoctype = doctype('Gadget', {
  module: 'core',
  tenant: { kind: 'link', field: 'organization' },
  naming: 'random',
  title_field: 'label',
  plural: 'Gadgets',
  fields: {
    organization: link('Organization', { reqd: true, set_only_once: true }),
    label: data({ reqd: true, in_list_view: true, search_index: true, length: 20 }),
    color: select(['red', 'green'], { default: 'red', in_standard_filter: true }),
    size: int({ min: 0, max: 10 }),
    active: check(),
    site: link('Site'),
    extra: json<Record<string, number>>(),
    token: secret(),
    price: int({ read_roles: ['Organization Admin', 'Owner'], write_roles: ['Organization Admin', 'Owner'] }),
    status: data({ server_owned: true, default: 'new' }),
  },
  permissions: {
    Owner: { read: true, create: true, write: true, delete: true },
    'Organization Admin': { read: true, create: true, write: true, delete: true },
    'Organization Manager': { read: true },
    'Organization User': { read: ['owner', '=', '$user'], create: ['color', '=', 'green'] },
  },
  actions: {
    polish: {
      label: 'Polish',
      activity: 'polished the gadget',
      allow: { Owner: true },
      from: ['new'],
      args: { times: int({ reqd: true, min: 1 }) },
    },
  },
})
