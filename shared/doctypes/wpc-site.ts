import { doctype, type Doc } from '../doctype.ts'
import { check, data, datetime, float, int, json, link, secret, select, text } from '../fields.ts'
import type { MessageDescriptor } from '../localized-message.ts'
import { ownOrShared } from './site-actions/grants.ts'
import { wpcSiteActions } from './wpc-site-actions.ts'

/** States of a site at WP Cloud. Clients depend on these values. */
export const wpcSiteStatuses = [
  'Setting Up',
  'Live',
  'Updating',
  'Restoring',
  'Suspended',
  'Failed',
  'Deleting',
] as const

const measured = { read_only: true, server_owned: true } as const
const ordered = { set_only_once: true } as const

/** A WordPress at WP Cloud, where the vendor runs it: it has no server here. */
export const WpcSiteDoctype = doctype('WPC Site', {
  module: 'wpc',
  tenant: { kind: 'link', field: 'organization' },
  area: 'sites',
  activity_readers: ['Organization Manager', 'Organization User'],
  activity_details: { list_shares: ['WPC Site.share', 'WPC Site.unshare'] },
  page: '/site',
  plan_limit: { resource: 'site', except: 'Deleting' },
  naming: 'random',
  passing_status: { now: 'Updating', afterwards: 'Live' },
  title_field: 'domain',
  plural: 'WP Cloud sites',
  fields: {
    organization: link('Organization', { reqd: true, set_only_once: true }),
    domain: data({
      reqd: true,
      format: 'domain',
      length: 253,
      set_only_once: true,
      in_list_view: true,
      in_standard_filter: true,
      search_index: true,
      label: 'Domain',
    }),
    status: select(wpcSiteStatuses, {
      ...measured,
      default: 'Setting Up',
      in_list_view: true,
      in_standard_filter: true,
    }),
    /** The account at WP Cloud. */
    connection: link('Connection', { ...ordered }),
    /** Codes of WP Cloud, e.g. `ams`. Empty: where it has room. */
    data_center: data({ ...ordered, length: 20, in_list_view: true, label: 'Data center' }),
    geo_affinity: data({ ...ordered, length: 20, label: 'Preferred place' }),
    php_version: data({ ...ordered, length: 10, in_list_view: true, in_standard_filter: true, label: 'PHP' }),
    wordpress_version: data({ ...measured, in_list_view: true, label: 'WordPress' }),
    /** GB of files, as WP Cloud writes them: `50G`. */
    space_quota: data({ ...ordered, default: '25G', length: 10, label: 'Storage' }),
    /** Bytes; WP Cloud counts about twice a day. */
    space_used: float({ ...measured, in_list_view: true, label: 'Storage used', description: 'Bytes' }),
    admin_user: data({ ...ordered, format: 'username', length: 32 }),
    admin_email: data({ ...ordered, format: 'email' }),
    admin_password: secret({ server_owned: true, hidden: true }),
    /** MB of a request. */
    memory_mb: int({ ...measured, label: 'PHP memory' }),
    workers: int({ ...measured, label: 'PHP workers' }),
    burst: check({ ...measured, label: 'Burst' }),
    usr_alias_domains: text({ ...measured, search_index: true, label: 'Alias domains' }),
    /** Until when visitors are asked to prove that they are browsers. */
    defensive_until: datetime({ ...measured, label: 'Defensive mode until' }),
    /** WP Cloud's id, which stays when domains change. */
    atomic_site_id: data({ ...measured, length: 20, label: 'Id at WP Cloud' }),
    /** Set right before it is ordered: from then on a site of its domain and administrator there is this one. */
    is_ordered: check({ server_owned: true, hidden: true }),
    createdby_email: data({ ...measured, in_standard_filter: true, label: 'Owner' }),
    notes: text({ label: 'Notes' }),
    checked_at: datetime({ ...measured, label: 'Last read' }),
    locked_by_job: link('Job', { ...measured }),
    /** Why the site failed and what to do; shown on its page. */
    failure_reason: data({ ...measured, length: 500 }),
    failure_reason_i18n: json<MessageDescriptor>({ ...measured }),
    failure_since: datetime({ ...measured, label: 'Since' }),
  },
  list: {
    order_by: 'creation desc',
    filter_fields: ['domain', 'status', 'php_version', 'createdby_email'],
  },
  indexes: [{ fields: ['organization', 'domain'], unique: true }, { fields: ['owner'] }],
  permissions: {
    'Platform Admin': { read: true },
    Owner: { read: true, create: true, write: true, delete: true },
    'Organization Admin': { read: true, create: true, write: true, delete: true },
    'Organization Manager': { read: true, write: true },
    'Organization User': { read: ownOrShared('read') },
  },
  actions: wpcSiteActions,
})

/** A site at WP Cloud. */
export type WpcSite = Doc<typeof WpcSiteDoctype>
