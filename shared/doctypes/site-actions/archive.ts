import { check } from '../../fields.ts'
import { sharedGrants } from './grants.ts'
import { undoArchive } from './undo-rules.ts'

/** Actions that take a site out of use, and back. */
export const archiveActions = {
  archive: {
    label: 'Archive',
    // A live site is deleted in two steps, of which this is the first.
    keywords: ['Delete', 'Remove'],
    activity: 'archived the site',
    allow: sharedGrants('share'),
    from: ['Live', 'Suspended', 'Failed'],
    capability: 'archive',
    confirm:
      '{count, plural, one {The site stops and its files are packed. It can be restored from the archive for 30 days.} other {The sites stop and their files are packed. They can be restored from the archive for 30 days.}}',
    args: { backup: check({ label: 'Back up first', description: 'Backups stay when a site is deleted.' }) },
    first: 'backup',
    job: true,
    undo: undoArchive,
    danger: true,
  },
  restore_archive: {
    label: 'Restore from archive',
    phrase: 'Restore {title} from the archive',
    activity: 'restored the site from the archive',
    allow: sharedGrants('write'),
    from: ['Archived'],
    capability: 'archive',
    job: true,
  },
  delete_permanently: {
    label: 'Delete permanently',
    phrase: 'Permanently delete {title}',
    activity: 'permanently deleted the site',
    allow: sharedGrants('share'),
    from: ['Archived', 'Failed'],
    confirm: 'Files and database are removed from the disk. This cannot be undone.',
    confirm_field: 'domain',
    job: true,
    danger: true,
  },
} as const
