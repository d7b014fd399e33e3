import { doctype, type Doc } from '../doctype.ts'
import { check, data, datetime, float, int, json, link, secret, select, text } from '../fields.ts'
import type { MessageDescriptor } from '../localized-message.ts'
import { wpcBackupKinds, wpcDefenseMinutes, wpcWorkers } from '../rules/wp-cloud.ts'
import { ownOrShared } from './site-actions/grants.ts'

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

/** Whose rights the table of WP Cloud's own documentation gives to managers, too (docs/security.md). */
const byAdmins = { Owner: true, 'Organization Admin': true } as const
const byManagers = { ...byAdmins, 'Organization Manager': true } as const

/** Its settings can be changed while it is suspended. */
const known = ['Live', 'Suspended'] as const
const whileLive = ['Live'] as const

/** A WordPress at WP Cloud, where the vendor runs it: it has no server here. */
export const WpcSiteDoctype = doctype('WPC Site', {
  module: 'wpc',
  tenant: { kind: 'link', field: 'organization' },
  area: 'sites',
  activity_readers: ['Organization Manager', 'Organization User'],
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
    connection: link('Connection', { ...ordered, read_roles: ['Owner', 'Organization Admin'] }),
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
  actions: {
    resync: {
      label: 'Resync',
      keywords: ['Sync'],
      activity: 'read the site again at WP Cloud',
      allow: { ...byManagers, 'Organization User': ownOrShared('read') },
      from: [...known, 'Failed'],
      job: true,
    },
    purge_cache: {
      label: 'Purge cache',
      keywords: ['Clear cache'],
      activity: 'purged the cache',
      allow: byManagers,
      from: whileLive,
      job: true,
    },
    set_php_version: {
      label: 'Change PHP version',
      activity: 'changed the PHP version',
      allow: byManagers,
      from: known,
      args: { value: data({ reqd: true, length: 10, label: 'PHP' }) },
      job: true,
      hidden: true,
    },
    set_memory: {
      label: 'Change PHP memory',
      activity: 'changed the PHP memory',
      allow: byManagers,
      from: known,
      args: { value: int({ reqd: true, label: 'PHP memory (MB)' }) },
      job: true,
      hidden: true,
    },
    set_workers: {
      label: 'Change PHP workers',
      activity: 'changed the PHP workers',
      allow: byAdmins,
      from: known,
      args: { value: int({ reqd: true, ...wpcWorkers, label: 'PHP workers' }) },
      confirm: 'WP Cloud bills by the resources of a site.',
      job: true,
      hidden: true,
    },
    set_burst: {
      label: 'Burst',
      activity: 'changed the burst of PHP workers',
      allow: byAdmins,
      from: known,
      args: { value: check({ reqd: true, label: 'More workers while there is room' }) },
      job: true,
      hidden: true,
    },
    set_space: {
      label: 'Change storage',
      activity: 'changed the storage',
      allow: byAdmins,
      from: known,
      args: { value: data({ reqd: true, length: 10, label: 'Storage', description: 'In GB, e.g. `50G`.' }) },
      confirm: 'WP Cloud bills by the resources of a site.',
      job: true,
      hidden: true,
    },
    set_domain: {
      label: 'Change domain',
      activity: 'changed the domain',
      allow: byManagers,
      from: whileLive,
      args: { value: data({ reqd: true, format: 'domain', length: 253, label: 'New domain' }) },
      confirm: 'The domain of before leads to the new one. Addresses that WordPress stored are not rewritten.',
      job: true,
      hidden: true,
    },
    set_aliases: {
      label: 'Change aliases',
      activity: 'changed the alias domains',
      allow: byManagers,
      from: known,
      args: { value: json<string[]>({ is_list: 'texts', max_bytes: 16_384, label: 'Alias domains' }) },
      job: true,
      hidden: true,
    },
    set_defensive_mode: {
      label: 'Defensive mode',
      activity: 'changed defensive mode',
      allow: byManagers,
      from: whileLive,
      args: {
        value: int({
          reqd: true,
          min: 0,
          max: wpcDefenseMinutes.max,
          label: 'For how long (minutes)',
          description: '0 ends it.',
        }),
      },
      job: true,
      hidden: true,
    },
    list_backups: {
      label: 'Show backups',
      allow: { 'Platform Admin': true, ...byManagers, 'Organization User': ownOrShared('read') },
      from: [...known, 'Restoring', 'Failed'],
      reads: true,
      returns: 'WpcBackups',
      while_locked: true,
      hidden: true,
    },
    backup: {
      label: 'Back up',
      phrase: 'Back up {title}',
      activity: 'backed up the site',
      allow: byManagers,
      from: known,
      args: {
        kind: select(wpcBackupKinds, { reqd: true, label: 'What', description: '`fs`: files, `db`: database.' }),
      },
      job: true,
      hidden: true,
    },
    delete_backup: {
      label: 'Delete backup',
      activity: 'deleted a backup of the site',
      allow: byAdmins,
      from: [...known, 'Failed'],
      args: { backup: data({ reqd: true, length: 20, label: 'Backup' }) },
      confirm: 'WP Cloud deletes the backup. This can’t be undone.',
      job: true,
      danger: true,
      hidden: true,
    },
    restore: {
      label: 'Restore',
      activity: 'restored the site',
      allow: byManagers,
      from: [...known, 'Failed'],
      args: {
        backup: data({
          reqd: true,
          length: 20,
          label: 'Backup',
          description: 'The backup of the other kind that is nearest in time is restored with it.',
        }),
      },
      confirm: 'Files and database are replaced. Visitors get a maintenance page meanwhile.',
      job: true,
      danger: true,
      hidden: true,
    },
    suspend: {
      label: 'Suspend',
      activity: 'suspended the site',
      allow: byAdmins,
      from: whileLive,
      confirm: 'Visitors get a page that says it is not available. WP Cloud goes on billing for it.',
      job: true,
      undo: 'resume',
    },
    resume: {
      label: 'Resume',
      activity: 'resumed the site',
      allow: byAdmins,
      from: ['Suspended', 'Failed'],
      job: true,
    },
    delete_permanently: {
      label: 'Delete permanently',
      activity: 'deleted the site permanently',
      allow: byAdmins,
      from: [...known, 'Failed'],
      confirm: 'WP Cloud deletes the site with its files, database and all of its backups. This can’t be undone.',
      confirm_field: 'domain',
      job: true,
      danger: true,
    },
  },
})

/** A site at WP Cloud. */
export type WpcSite = Doc<typeof WpcSiteDoctype>
