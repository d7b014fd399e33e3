import { doctype, type Doc } from '../doctype.ts'
import type { MessageDescriptor } from '../localized-message.ts'
import { data, float, int, json, link, select } from '../fields.ts'

/** An entry of the activity log. Append-only: a trigger rejects changes and deletions. */
export const ActivityDoctype = doctype('Activity', {
  module: 'core',
  tenant: { kind: 'link', field: 'organization' },
  area: 'activity',
  naming: 'random',
  title_field: 'action',
  plural: 'Activities',
  track_activity: false,
  append_only: true,
  fields: {
    /** Null for events outside organizations (sign-in). */
    organization: link('Organization'),
    /** Email address of the actor; `System` for schedules. */
    actor: data({ in_list_view: true, in_standard_filter: true, label: 'Who' }),
    on_behalf_of: data(),
    action: data({ in_list_view: true, in_standard_filter: true }),
    reference_doctype: data({ in_list_view: true, in_standard_filter: true, label: 'Target type' }),
    reference_name: data(),
    /** Display name of the reference; ids are never shown. */
    reference_title: data({ length: 253, in_standard_filter: true, search_index: true, label: 'Target' }),
    /** Address of the reference, if that says more than the title. */
    reference_address: data({ length: 253, search_index: true, label: 'Address' }),
    /** Continues the action's wording: with whom a site was shared, and what they can do. */
    detail: data({ length: 500, is_detail: true }),
    detail_i18n: json<MessageDescriptor>({ is_detail: true }),
    before: json<Record<string, unknown>>({ fields_of: 'reference_doctype', is_detail: true }),
    after: json<Record<string, unknown>>({ fields_of: 'reference_doctype', is_detail: true }),
    result: select(['Done', 'Failed', 'Denied', 'Started', 'Cancelled'], { default: 'Done', in_standard_filter: true }),
    took_ms: float(),
    via: select(['web', 'api', 'job', 'schedule', 'terminal', 'server', 'webhook'], {
      default: 'web',
      in_standard_filter: true,
    }),
    /** For those who can list the addresses of others: of their API tokens, for example. */
    ip: data({ read_roles: ['Platform Admin', 'Owner', 'Organization Admin'] }),
    /** API token that was used; null for people in a browser. Stored as text because the log outlives the token. */
    token: data({ in_standard_filter: true, label: 'API token' }),
    job: link('Job'),
    /** Position in the organization's hash chain, from 1. */
    sequence: int({ hidden: true }),
    /** How `hash` is computed. */
    hash_version: int({ hidden: true }),
    previous_hash: data({ length: 64 }),
    hash: data({ length: 64 }),
  },
  derived: { superseded: '1 for the start of something of which there is a later entry, such as its end' },
  // One act is one row: its start until it has ended, then its end, which says when it started.
  list: { filters: [['superseded', '=', 0]], order_by: 'creation desc' },
  indexes: [{ fields: ['reference_doctype', 'reference_name', 'creation'] }, { fields: ['organization', 'sequence'] }],
  // An entry contains a document's title and changed values, so only users who can read the document can read the entry.
  permissions: {
    'Platform Admin': { read: { readable_reference: 'any' } },
    Owner: { read: { readable_reference: 'any' } },
    'Organization Admin': { read: { readable_reference: 'any' } },
    'Organization Manager': { read: { readable_reference: 'Organization Manager' } },
    'Organization User': { read: { readable_reference: 'Organization User' } },
  },
})

/** An activity entry. */
export type Activity = Doc<typeof ActivityDoctype>
