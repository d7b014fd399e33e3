import { doctype, type Doc, type FilterTriple, type Rule } from '../doctype.ts'
import { check, data, json, link } from '../fields.ts'

/** A filter with its identifier and the label of its field. */
export interface FilterItem {
  readonly key: string
  readonly name: string
  readonly filter: FilterTriple
}

/** Maximum number of views per user in an organization. */
export const maxSavedViews = 50

/** Maximum size in bytes of each of a view's filter lists. */
const maxFilterBytes = 16_384

/** Own views, or views shared with the organization. */
const ownOrShared: Rule = {
  any: [
    ['owner', '=', '$user'],
    ['shared', '=', 1],
  ],
}
const own: Rule = ['owner', '=', '$user']
const ownViews = { read: ownOrShared, create: true, write: own, delete: own } as const

/**
 * A named set of filters for a list: private to its creator, or shared with the organization. Only its creator can change
 * it.
 */
export const SavedViewDoctype = doctype('Saved View', {
  module: 'core',
  tenant: { kind: 'link', field: 'organization' },
  naming: 'random',
  title_field: 'title',
  plural: 'Saved views',
  track_activity: true,
  fields: {
    organization: link('Organization', { reqd: true, set_only_once: true }),
    title: data({ reqd: true, length: 60 }),
    /** Doctype of the list. */
    reference_doctype: data({ reqd: true, set_only_once: true, in_standard_filter: true, label: 'List' }),
    /** List of `[field, operator, value]`; all must match. */
    filters: json<readonly FilterTriple[]>({ max_bytes: maxFilterBytes }),
    /** At least one must match. Empty: no condition. */
    any_filters: json<readonly FilterTriple[]>({ max_bytes: maxFilterBytes }),
    /** `filters` as filter items of the specification (section 3), kept up to date on saving. */
    filter_items: json<readonly FilterItem[]>({ read_only: true }),
    /** `field asc|desc`. Empty: the list's default order. */
    order_by: data({ length: 140 }),
    /** Column names. Null: each user's own choice. */
    columns: json<readonly string[]>(),
    shared: check({ in_standard_filter: true, label: 'Shared with the organization' }),
  },
  list: { order_by: 'creation asc' },
  indexes: [{ fields: ['owner'] }],
  permissions: {
    Owner: ownViews,
    'Organization Admin': ownViews,
    'Organization Manager': ownViews,
    'Organization User': ownViews,
  },
})

/** A saved view. */
export type SavedView = Doc<typeof SavedViewDoctype>
