import { doctype, type Doc, type FilterTriple, type Rule } from '../doctype.ts'
import { check, data, json, link } from '../fields.ts'

/** Most views one person keeps in an organization. */
export const mostSavedViews = 50

/** Most bytes of the filters of a view, of each kind. */
const mostFilterBytes = 16_384

/** Own, or shown to everybody in the organization. */
const ownOrShared: Rule = {
  any: [
    ['owner', '=', '$user'],
    ['shared', '=', 1],
  ],
}
const own: Rule = ['owner', '=', '$user']
const person = { read: ownOrShared, create: true, write: own, delete: own } as const

/** A named set of filters over a list: its maker's own, or shared with the organization. Only its maker changes it. */
export const SavedViewDoctype = doctype('Saved View', {
  module: 'core',
  tenant: 'organization',
  naming: 'random',
  title_field: 'title',
  plural: 'Saved views',
  track_activity: true,
  fields: {
    organization: link('Organization', { reqd: true, set_only_once: true }),
    title: data({ reqd: true, length: 60 }),
    /** Doctype of the list. */
    reference_doctype: data({ reqd: true, set_only_once: true, in_standard_filter: true, label: 'List' }),
    /** List of `[field, operator, value]`; all hold. */
    filters: json<readonly FilterTriple[]>({ max_bytes: mostFilterBytes }),
    /** Of these one holds; empty: no such condition. */
    any_filters: json<readonly FilterTriple[]>({ max_bytes: mostFilterBytes }),
    /** `field asc|desc`; empty: the list's own order. */
    order_by: data({ length: 140 }),
    /** Names of the columns; null: each person's own choice. */
    columns: json<readonly string[]>(),
    shared: check({ in_standard_filter: true, label: 'Shared with the organization' }),
  },
  list: { order_by: 'creation asc' },
  indexes: [{ fields: ['owner'] }],
  permissions: {
    Owner: person,
    'Organization Admin': person,
    'Organization Manager': person,
    'Organization User': person,
  },
})

/** A saved view. */
export type SavedView = Doc<typeof SavedViewDoctype>
