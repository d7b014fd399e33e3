import { check, data } from '../../fields.ts'
import { sharedGrants } from './grants.ts'

/** Backing up; what is done with a backup is declared at `Site Backup`. */
export const backupActions = {
  backup: {
    label: 'Back up',
    keywords: ['Save', 'Copy', 'Snapshot'],
    activity: 'backed up the site',
    allow: sharedGrants('write'),
    from: ['Live', 'Suspended'],
    capability: 'backup',
    args: {
      note: data({ length: 200, label: 'Note' }),
      pinned: check({ label: 'Keep until it is unpinned' }),
    },
    job: true,
    returns: 'BackupStarted',
  },
} as const
