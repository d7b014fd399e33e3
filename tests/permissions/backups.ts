/** What the suite expects of backups: they follow the site they are of. */
import type { Attributes, SubjectPlan } from './subject-plan.ts'

const row = 'Backup (download/restore need site W)'
const ofWriters = { row: 'site actions (cache, PHP, alias, clone, WP login, DB/SFTP reveal)' } as const

/** Nobody edits a backup; it is made by the site's action. */
export const backupDeclaration = {
  ignoredFields: 'status locked_by_job',
  probe: { note: 'probe' },
}

/** Sites say when they are backed up. */
export const scheduleDeclaration = {
  writable:
    'enabled every at time_zone spread window_from window_until per_server store before_changes keep_hourly keep_daily keep_weekly keep_monthly keep_yearly',
  probe: { keep_daily: 11 },
  drafts: [
    {
      title: 'of a site',
      row: 'Backup Schedule',
      values: { organization: 'acme', site: '@Site/plain', every: 'day' },
    },
    {
      title: 'of the organization',
      row: 'Backup Schedule of the organization',
      values: { organization: 'acme', every: 'day' },
    },
  ],
}

/** Actions of backups. */
export const backupActions = {
  'Site.backup': ofWriters,
  'Site.easyengine_backup': ofWriters,
  'Site Backup.restore': ofWriters,
  'Site Backup.compare': ofWriters,
  'Site Backup.contents': ofWriters,
  'Site Backup.undo_restore': ofWriters,
  'Site Backup.prove': ofWriters,
  'Site Backup.open': { row: 'open a backup', letter: 'R' },
  'Site Backup.download_link': ofWriters,
  'Site Backup.pin': ofWriters,
  'Site Backup.unpin': ofWriters,
} as const

const backup = (key: string, attributes: Attributes): SubjectPlan => ({
  doctype: 'Site Backup',
  key,
  row,
  attributes,
  values: {
    organization: attributes.organization,
    site: `@Site/${key}`,
    site_domain: `${attributes.organization}-marker ${key}`,
    // Nothing can be done with it, so nothing is queued.
    status: 'Failed',
  },
})

const schedule = (key: string, attributes: Attributes): SubjectPlan => ({
  doctype: 'Backup Schedule',
  key,
  row: 'Backup Schedule',
  attributes,
  // A site has one.
  values: {
    organization: attributes.organization,
    site: `@new Site/${key}`,
    every: 'day',
    at: '03:00',
    store: 'local',
  },
})

/** A backup of each kind of site. */
export const backupPlans: readonly SubjectPlan[] = [
  backup('plain', { organization: 'acme' }),
  backup('own', { organization: 'acme', owner: 'member' }),
  backup('read', { organization: 'acme', shared: { with: 'member', bits: ['read'] } }),
  backup('write', { organization: 'acme', shared: { with: 'member', bits: ['read', 'write'] } }),
  backup('foreign', { organization: 'globex', owner: 'stranger' }),
  {
    ...schedule('default', { organization: 'acme' }),
    row: 'Backup Schedule of the organization',
    values: { organization: 'acme', every: 'day', at: '03:00', store: 'local' },
    single: true,
  },
  schedule('plain', { organization: 'acme' }),
  schedule('own', { organization: 'acme', owner: 'member' }),
  schedule('read', { organization: 'acme', shared: { with: 'member', bits: ['read'] } }),
  schedule('foreign', { organization: 'globex', owner: 'stranger' }),
]
