import { doctype, type Doc } from '../doctype.ts'
import { data, float, int, json, link, select } from '../fields.ts'

/** An entry of the audit log. Append-only: a trigger refuses change and deletion. */
export const ActivityDoctype = doctype('Activity', {
  module: 'core',
  tenant: 'organization',
  area: 'activity',
  naming: 'random',
  title_field: 'action',
  plural: 'Activities',
  track_activity: false,
  append_only: true,
  fields: {
    /** Null for what happens outside organizations (sign-in). */
    organization: link('Organization'),
    /** E-mail of who did it, `System` for the schedule. */
    actor: data({ in_list_view: true, in_standard_filter: true, label: 'Who' }),
    on_behalf_of: data(),
    action: data({ in_list_view: true, in_standard_filter: true }),
    reference_doctype: data({ in_list_view: true }),
    reference_name: data(),
    /** What people know it by; ids are never shown. */
    reference_title: data({ length: 253, in_standard_filter: true, search_index: true, label: 'Target' }),
    before: json<Record<string, unknown>>({ fields_of: 'reference_doctype' }),
    after: json<Record<string, unknown>>({ fields_of: 'reference_doctype' }),
    result: select(['Done', 'Failed', 'Denied', 'Started', 'Cancelled'], { default: 'Done', in_standard_filter: true }),
    took_ms: float(),
    via: select(['web', 'api', 'job', 'schedule', 'terminal'], { default: 'web', in_standard_filter: true }),
    ip: data(),
    /** API token that was used; null for people in a browser. Kept as text: the log outlives the token. */
    token: data({ in_standard_filter: true, label: 'API token' }),
    job: link('Job'),
    /** Place in the organization's chain, from 1. */
    sequence: int({ hidden: true }),
    previous_hash: data({ length: 64 }),
    hash: data({ length: 64 }),
  },
  list: { order_by: 'creation desc' },
  indexes: [{ fields: ['reference_doctype', 'reference_name', 'creation'] }, { fields: ['organization', 'sequence'] }],
  // An entry says what a document is called and what was changed in it: it is for who may read the document.
  permissions: {
    'Platform Admin': { read: { readable_reference: 'any' } },
    Owner: { read: { readable_reference: 'any' } },
    'Organization Admin': { read: { readable_reference: 'any' } },
    'Organization Manager': { read: { readable_reference: ['Site', 'Server'] } },
    'Organization User': { read: { readable_reference: ['Site'] } },
  },
})

/** An activity entry. */
export type Activity = Doc<typeof ActivityDoctype>
