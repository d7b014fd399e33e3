import { doctype, type Doc } from '../doctype.ts'
import { check, data, datetime, float, int, json, link, secret, select, text } from '../fields.ts'
import { engineNames } from '../rules/engines.ts'
import { multisiteKinds } from '../rules/multisite.ts'
import { siteAttention, siteUrgency } from '../rules/site-attention.ts'
import type { SiteStorage } from '../rules/site-quotas.ts'
import type { MessageDescriptor } from '../localized-message.ts'
import { cloudProviders } from './server.ts'
import { archiveActions } from './site-actions/archive.ts'
import { fileActions } from './site-actions/files.ts'
import { certificateActions, certificateFields } from './site-actions/certificates.ts'
import { backupActions, backupFields } from './site-actions/backups.ts'
import { copiesActions, copiesFields } from './site-actions/copies.ts'
import { deploymentActions, deploymentFields, deploymentIndexes } from './site-actions/deployments.ts'
import { domainsActions, domainsFields } from './site-actions/domains.ts'
import { ownOrShared, peopleInActivity, sharedGrants } from './site-actions/grants.ts'
import { logActions } from './site-actions/logs.ts'
import { monitoringActions, monitoringFields } from './site-actions/monitoring.ts'
import { previewActions } from './site-actions/preview.ts'
import { siteDatabaseActions, siteDatabaseFields } from './site-actions/site-database.ts'
import { serviceActions } from './site-actions/services.ts'
import { sharingActions } from './site-actions/sharing.ts'
import { settingsActions, settingsFields } from './site-actions/settings.ts'
import { wordpressHealthFields } from './site-actions/wordpress-health.ts'
import { wordpressActions } from './site-actions/wordpress.ts'
import { undoPhpVersion } from './site-actions/undo-rules.ts'

/** States of a site. Clients depend on these values. */
export const siteStatuses = [
  'Setting Up',
  'Live',
  'Updating',
  'Restoring',
  'Suspended',
  'Failed',
  'Archiving',
  'Archived',
] as const

/** Kinds of software a site can run. */
export const siteTypes = ['wp', 'php', 'html'] as const

/** Label of each site type. */
export const siteTypeLabels: Readonly<Record<(typeof siteTypes)[number], string>> = {
  wp: 'WordPress',
  php: 'PHP',
  html: 'HTML',
}

/** PHP versions the product supports; each engine offers a subset. */
export const phpVersions = ['8.2', '8.3', '8.4', '8.5'] as const

const measured = { read_only: true, server_owned: true } as const

/** A website: WordPress, plain PHP or plain HTML, on a server. */
export const SiteDoctype = doctype('Site', {
  module: 'core',
  tenant: { kind: 'link', field: 'organization' },
  area: 'sites',
  attachments: true,
  activity_readers: ['Organization Manager', 'Organization User'],
  activity_details: peopleInActivity,
  page: '/site',
  plan_limit: { resource: 'site', except: 'Archived' },
  naming: 'random',
  passing_status: { now: 'Updating', afterwards: 'Live' },
  title_field: 'domain',
  display_field: 'title',
  plural: 'Sites',
  fields: {
    organization: link('Organization', { reqd: true, set_only_once: true }),
    domain: data({
      reqd: true,
      format: 'visible',
      length: 253,
      set_only_once: true,
      in_list_view: true,
      in_standard_filter: true,
      search_index: true,
      label: 'Name',
    }),
    status: select(siteStatuses, { ...measured, default: 'Setting Up', in_list_view: true, in_standard_filter: true }),
    server: link('Server', { reqd: true, set_only_once: true, in_list_view: true, in_standard_filter: true }),
    /** It was on its server before that was added. */
    is_found: check({ ...measured, label: 'Found on its server' }),
    /** Copied from the server: names are unique per machine. */
    engine_host: data({ server_owned: true, hidden: true }),
    engine: select(engineNames, { read_only: true }),
    /** Copied from the server, where it never changes: sites are counted and filtered by it. */
    cloud_provider: select(cloudProviders, { ...measured, in_list_view: true, label: 'Provider' }),
    /** Public URL without a trailing slash. */
    url: data({ ...measured, label: 'Address', length: 300 }),
    site_type: select(siteTypes, {
      reqd: true,
      default: 'wp',
      set_only_once: true,
      in_standard_filter: true,
      label: 'Type',
    }),
    title: data({
      search_index: true,
      length: 200,
      description: 'The first one; WordPress keeps its own title then.',
    }),
    /** Null: a single site. EasyEngine's names. */
    multisite: select(multisiteKinds, { set_only_once: true, label: 'Multisite' }),
    /** Redis for pages and objects, and the template of WordPress VIP; of a new WordPress, where its server has them. */
    object_cache: check({ set_only_once: true, label: 'Redis cache' }),
    vip: check({ set_only_once: true, label: 'WordPress VIP' }),
    /** Null: what its server usually installs. The version is one of WordPress, or `latest`. */
    initial_locale: data({ set_only_once: true, length: 20 }),
    initial_version: data({ set_only_once: true, length: 20 }),
    /** Of a PHP site, where its server has a choice. */
    with_database: check({ set_only_once: true, label: 'MariaDB database' }),
    admin_user: data({ format: 'username', length: 32, set_only_once: true }),
    admin_email: data({ format: 'email', set_only_once: true }),
    admin_password: secret({ server_owned: true, hidden: true }),
    php_version: select(phpVersions, { default: '8.4', in_list_view: true, in_standard_filter: true, label: 'PHP' }),
    wordpress_version: data({ ...measured, in_list_view: true, in_standard_filter: true, label: 'WordPress' }),
    health: select(['Up', 'Slow', 'Down', 'Asleep', 'Not Checked'], {
      ...measured,
      default: 'Not Checked',
      in_list_view: true,
    }),
    /** Duration of our last health check in milliseconds without waking the site; its time is in `health_checked_at`. */
    response_ms: float({ ...measured }),
    health_checked_at: datetime({ ...measured, label: 'Last checked' }),
    /** When a check last succeeded: a check that failed is none. */
    last_answer_at: datetime({ ...measured, label: 'Last contact' }),
    attention: int({ ...measured, default: 0, computed: siteUrgency, label: 'Needs attention' }),
    wordpress_checksum: select(['Verified', 'Modified', 'Not Checked'], {
      ...measured,
      default: 'Not Checked',
      in_standard_filter: true,
      label: 'Checksum',
    }),
    ...wordpressHealthFields,
    usr_alias_domains: text({ ...measured, search_index: true, label: 'Alias domains' }),
    createdby_email: data({ ...measured, in_standard_filter: true, label: 'Owner' }),
    /** Labels: for whom and for which project the site is. */
    client: data({ in_standard_filter: true, label: 'Client' }),
    project: data({ in_standard_filter: true, label: 'Project' }),
    notes: text({ label: 'Notes' }),
    favorite: check({ server_owned: true, personal: true, label: 'Favorite' }),
    disk_used: float({ ...measured, description: 'Bytes' }),
    /** `disk_used` is a lower bound: not everything could be measured. */
    disk_used_at_least: check({ ...measured }),
    /** Disk usage by category, and the quotas. */
    storage: json<SiteStorage>({ ...measured }),
    /** URL of the thumbnail of the homepage; null if there is none yet. */
    thumbnail: data({ ...measured, length: 200 }),
    thumbnail_taken: datetime({ ...measured, label: 'Screenshot taken' }),
    /** Why the last thumbnail attempt failed; null if it succeeded. */
    thumbnail_problem: data({ ...measured, length: 300 }),
    thumbnail_problem_i18n: json<MessageDescriptor>({ ...measured }),
    ...settingsFields,
    ...siteDatabaseFields,
    ...certificateFields,
    ...copiesFields,
    ...backupFields,
    ...domainsFields,
    ...deploymentFields,
    ...monitoringFields,
    locked_by_job: link('Job', { ...measured }),
    archived_at: datetime({ ...measured }),
    /** Why the site failed and what to do; shown on its page. */
    failure_reason: data({ ...measured, length: 500 }),
    failure_reason_i18n: json<MessageDescriptor>({ ...measured }),
    failure_since: datetime({ ...measured, label: 'Since' }),
  },
  list: {
    filters: [['status', '!=', 'Archived']],
    order_by: 'creation desc',
    bulk_first: ['backup', 'flush_cache', 'verify_checksum'],
    urgent_first: 'attention',
    urgent_when: siteAttention,
    filter_fields: [
      'domain',
      'status',
      'server',
      'site_type',
      'wordpress_checksum',
      'createdby_email',
      'php_version',
      'wordpress_version',
      'client',
      'project',
      'title',
    ],
    sort_fields: ['disk_used'],
    group_fields: ['client', 'project', 'server'],
  },
  // Index on owner: finds a member's sites in a large organization without a full scan.
  indexes: [
    { fields: ['engine_host', 'domain'], unique: true },
    { fields: ['owner'] },
    ...deploymentIndexes,
    { fields: ['organization', 'attention', 'creation', 'name'] },
  ],
  permissions: {
    'Platform Admin': { read: true },
    Owner: { read: true, create: true, write: true, delete: true },
    'Organization Admin': { read: true, create: true, write: true, delete: true },
    'Organization Manager': { read: true, create: true, write: true, delete: true },
    'Organization User': {
      read: ownOrShared('read'),
      create: { link: 'server', matches: ['server_category', '=', 'development'] },
      write: ownOrShared('write'),
      // The write bit covers settings and backups; deleting a site requires owner-like rights.
      delete: ownOrShared('share'),
    },
  },
  actions: {
    ...sharingActions,
    login_link: {
      label: 'Open admin',
      phrase: 'Open admin of {title}',
      // That it was followed, and whether a plugin of the site let the person in, is not observed.
      activity: 'got a link to the admin',
      allow: sharedGrants('write'),
      from: ['Live'],
      capability: 'login_link',
      args: {
        user: data({
          length: 60,
          label: 'WordPress user',
          description: 'Its username. Left out: the caller’s own, which is made.',
        }),
        network: check({ default: 0, label: 'Network admin' }),
      },
      returns: 'LoginLink',
      hidden: true,
    },
    take_picture: {
      label: 'Refresh screenshot',
      activity: 'refreshed the screenshot of the site',
      allow: sharedGrants('write'),
      from: ['Live'],
      capability: 'thumbnail',
      returns: 'Nothing',
      hidden: true,
    },
    set_php_version: {
      label: 'Change PHP version',
      phrase: 'Change the PHP version of {title}',
      activity: 'changed the PHP version',
      allow: sharedGrants('write'),
      from: ['Live', 'Failed'],
      for: ['site_type', '!=', 'html'],
      capability: 'php_version',
      args: { php_version: select(phpVersions, { reqd: true, label: 'PHP version' }) },
      confirm: 'PHP restarts; visitors wait a moment.',
      job: true,
      undo: undoPhpVersion,
    },
    restart: {
      label: 'Restart',
      activity: 'restarted the site',
      allow: sharedGrants('write'),
      from: ['Live'],
      capability: 'restart',
      confirm: 'Visitors wait a moment.',
      job: true,
    },
    reload: {
      label: 'Reload configuration',
      phrase: 'Reload the configuration of {title}',
      activity: 'reloaded the configuration',
      allow: sharedGrants('write'),
      from: ['Live'],
      capability: 'containers',
      job: true,
    },
    rebuild: {
      label: 'Rebuild',
      activity: 'rebuilt the containers',
      allow: sharedGrants('write'),
      from: ['Live'],
      capability: 'containers',
      confirm: 'Visitors wait a moment. Files and database stay.',
      job: true,
    },
    ...logActions,
    ...settingsActions,
    ...previewActions,
    ...wordpressActions,
    ...fileActions,
    ...backupActions,
    ...{ ...copiesActions, ...deploymentActions },
    ...domainsActions,
    ...certificateActions,
    ...serviceActions,
    ...siteDatabaseActions,
    ...monitoringActions,
    ...archiveActions,
  },
})

/** A site document. */
export type Site = Doc<typeof SiteDoctype>
