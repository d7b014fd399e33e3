import { doctype, type Doc, type FilterTriple, type Rule } from '../doctype.ts'
import { check, data, datetime, float, int, json, link, select, text } from '../fields.ts'
import type { MessageDescriptor } from '../localized-message.ts'
import { backupProofs, localBackups, restoreTargets, type BackupDefect } from '../rules/backups.ts'
import { siteTypes } from './site.ts'
import { ownOrShared } from './site-actions/grants.ts'

/** States of a backup. Clients depend on these values. */
export const backupStatuses = ['Queued', 'Running', 'Ready', 'Failed', 'Restoring', 'Expired'] as const

const measured = { read_only: true, server_owned: true } as const

/** What the site's readers and writers may do with its backups. After the end of the site, only those who see all sites. */
const ofSite = (bit: 'read' | 'write'): Rule => ({ link: 'site', matches: ownOrShared(bit) })

/** Restoring, reading and downloading show everything that is in the site. */
const whoWritesTheSite = {
  Owner: true,
  'Organization Admin': true,
  'Organization Manager': true,
  'Organization User': ofSite('write'),
} as const

/** What EasyEngine keeps can only be restored by it. */
const ours: FilterTriple = ['kind', '!=', 'imported']

/** Looking at it shows what visitors of the site saw. */
const whoReadsTheSite = { ...whoWritesTheSite, 'Organization User': ofSite('read') } as const

/** A stored copy of a site, and what is known about its worth. It stays when its site is deleted. */
export const SiteBackupDoctype = doctype('Site Backup', {
  module: 'core',
  tenant: { kind: 'link', field: 'organization' },
  area: 'sites',
  activity_readers: ['Organization Manager', 'Organization User'],
  naming: 'random',
  title_field: 'site_domain',
  plural: 'Backups',
  fields: {
    organization: link('Organization', { ...measured, reqd: true }),
    site: link('Site', { ...measured, reqd: true, in_list_view: true, in_standard_filter: true }),
    /** Name of the site when it was backed up. */
    site_domain: data({ ...measured, length: 253, in_list_view: true, label: 'Name of the site' }),
    /** Where its site ran. */
    server: link('Server', { ...measured }),
    site_type: select(siteTypes, { ...measured }),
    kind: select(['manual', 'scheduled', 'before a change', 'final', 'imported'], {
      ...measured,
      default: 'manual',
      in_list_view: true,
      in_standard_filter: true,
    }),
    status: select(backupStatuses, { ...measured, default: 'Queued', in_list_view: true, in_standard_filter: true }),
    proof: select(backupProofs, {
      ...measured,
      default: 'Not Tested',
      in_list_view: true,
      in_standard_filter: true,
      label: 'Proof',
    }),
    /** Why the proof failed or is inconclusive; empty if it is proven. */
    proof_detail: json<readonly BackupDefect[]>({ ...measured }),
    /** What the proof looked at: how many were expected, how many it found. */
    proof_seen: json<readonly { readonly what: string; readonly expected: number; readonly found: number }[]>({
      ...measured,
    }),
    proved_at: datetime({ ...measured, label: 'Proven at' }),
    /** The server on which its containers were looked at; null: the machine of this installation. */
    proved_on: link('Server', { ...measured, label: 'Tested on' }),
    /** URL of a screenshot of the homepage, as the proof saw it; null if it took none. */
    thumbnail: data({ ...measured, length: 200 }),
    /** Bytes of the archive, before it is encrypted. */
    size: float({ ...measured, in_list_view: true, description: 'Bytes' }),
    /** Bytes in the store. */
    stored_size: float({ ...measured, description: 'Bytes' }),
    /** `local` (folder of this installation), or the name of a Connection. */
    store: data({ ...measured, default: localBackups, in_list_view: true, label: 'Stored at' }),
    sha256: data({ ...measured, hidden: true, length: 64 }),
    /** The full backup that it builds on, or is. */
    chain: data({ ...measured, hidden: true, length: 10 }),
    /** Backups whose archives it takes content from; none if everything is stored of it. */
    needs: json<readonly string[]>({ ...measured, label: 'Needs the archives of' }),
    /** Where EasyEngine keeps a backup that it made by itself. */
    remote_path: data({ ...measured, length: 500, label: 'Kept at' }),
    /** What EasyEngine calls it. */
    reported_as: data({ ...measured, hidden: true, length: 40 }),
    taken_at: datetime({ ...measured, in_list_view: true, label: 'Taken' }),
    wordpress_version: data({ ...measured, label: 'WordPress' }),
    php_version: data({ ...measured, label: 'PHP' }),
    /** Counts of the manifest: posts, pages, comments, uploads, plugins, themes, users, files. */
    counts: json<Readonly<Record<string, number>>>({ ...measured }),
    /** What its site had that no backup can have. */
    not_packed: json<readonly string[]>({ ...measured }),
    note: data({ ...measured, length: 200 }),
    pinned: check({ ...measured, label: 'Pinned' }),
    expires: datetime({ ...measured, label: 'Kept until' }),
    /** When the archive of an expired backup is removed, at the earliest; null: only if somebody asks for it. */
    removal_due: datetime({ ...measured, hidden: true }),
    removal_tries: int({ ...measured, hidden: true }),
    /** Until when it can be looked at as a site, once the job that opens it is done. */
    opened_until: datetime({ ...measured, label: 'Open until' }),
    opened_by_job: link('Job', { ...measured }),
    error_message: text({ ...measured }),
    error_message_i18n: json<MessageDescriptor>({ ...measured }),
    locked_by_job: link('Job', { ...measured }),
  },
  list: { order_by: 'creation desc', filter_fields: ['kind', 'status', 'proof'], same_titles: true },
  indexes: [
    { fields: ['site'], unique: true, where: "status in ('Queued', 'Running')" },
    { fields: ['site', 'creation'] },
    { fields: ['chain'], where: 'chain is not null' },
    { fields: ['reported_as'], unique: true, where: 'reported_as is not null' },
  ],
  permissions: {
    'Platform Admin': { read: true },
    Owner: { read: true, delete: true },
    'Organization Admin': { read: true, delete: true },
    'Organization Manager': { read: true, delete: true },
    'Organization User': { read: ofSite('read') },
  },
  actions: {
    restore: {
      label: 'Restore',
      activity: 'restored the backup',
      allow: whoWritesTheSite,
      from: ['Ready'],
      args: {
        what: data({
          default: 'all',
          length: 4_000,
          description:
            '`all`, `files`, `database`, a path below the folder of the site, or `table:` and the name of a table.',
        }),
        parts: json<string[]>({
          is_list: 'texts',
          max_bytes: 65_536,
          label: 'Parts',
          description: 'Several such paths and tables, instead of `what`. Each gets the state of the backup.',
        }),
        target: select(restoreTargets, { default: 'in_place', label: 'Where' }),
        domain: data({ length: 253, label: 'Name of the new site' }),
        server: link('Server', { label: 'Server of the new site', description: 'Left out: that of the backup.' }),
        backup_first: check({ default: 1 }),
      },
      job: true,
      danger: true,
      hidden: true,
      returns: 'SiteBackupStarted',
    },
    contents: {
      label: 'Show what is in it',
      for: ours,
      allow: whoWritesTheSite,
      from: ['Ready'],
      args: {
        folder: text({ length: 4_000, label: 'Folder', description: 'Default: that of the site, with the tables.' }),
      },
      returns: 'BackupContents',
      reads: true,
      while_locked: true,
      tokens: 'sites:write',
      hidden: true,
    },
    compare: {
      label: 'Compare counts',
      allow: whoWritesTheSite,
      from: ['Ready'],
      returns: 'BackupComparison',
      reads: true,
      while_locked: true,
      tokens: 'sites:write',
      hidden: true,
    },
    undo_restore: {
      label: 'Undo the restore',
      phrase: 'Undo the restore of {title}',
      activity: 'undid the restore of the backup',
      allow: whoWritesTheSite,
      from: ['Ready'],
      confirm: 'The site gets back the state before the restore. What changed since is lost.',
      job: true,
      hidden: true,
    },
    prove: {
      label: 'Test restore',
      for: ours,
      activity: 'had the backup proven',
      allow: whoWritesTheSite,
      from: ['Ready'],
      job: true,
    },
    open: {
      label: 'Open',
      for: ours,
      keywords: ['time machine', 'preview'],
      activity: 'opened the backup',
      allow: whoReadsTheSite,
      from: ['Ready'],
      returns: 'OpenedBackup',
      while_locked: true,
      hidden: true,
    },
    download_link: {
      label: 'Download',
      for: ours,
      activity: 'downloaded the backup',
      allow: whoWritesTheSite,
      from: ['Ready'],
      returns: 'DownloadLink',
      while_locked: true,
      tokens: 'sites:write',
      hidden: true,
    },
    pin: {
      label: 'Pin',
      activity: 'pinned the backup',
      allow: whoWritesTheSite,
      for: ['pinned', '=', 0],
      returns: 'Nothing',
      while_locked: true,
      undo: 'unpin',
    },
    unpin: {
      label: 'Unpin',
      activity: 'unpinned the backup',
      allow: whoWritesTheSite,
      for: ['pinned', '=', 1],
      returns: 'Nothing',
      while_locked: true,
      undo: 'pin',
    },
  },
})

/** A backup document. */
export type SiteBackup = Doc<typeof SiteBackupDoctype>
