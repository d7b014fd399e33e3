import { check, data, datetime, float, select } from '../../fields.ts'
import { backupProofs } from '../../rules/backups.ts'
import { sharedGrants } from './grants.ts'

const measured = { read_only: true, server_owned: true } as const

/** What restores leave at a site. */
export const backupFields = {
  /** Of the newest backup that is ready. */
  backup_at: datetime({ ...measured, in_standard_filter: true, label: 'Last backup' }),
  backup_proof: select(backupProofs, { ...measured, in_standard_filter: true, label: 'Proof of the last backup' }),
  /** When the newest attempt failed; null once a backup was made again. */
  backup_failed_at: datetime({ ...measured, in_standard_filter: true, label: 'Last backup failed' }),
  /** The backup of the last restore, whose state before is kept; null if there is none. */
  restored_from: data({ ...measured, length: 10 }),
  restored_at: datetime({ ...measured, label: 'Restored' }),
  /** Bytes that the state before takes. */
  restored_kept_size: float({ ...measured, label: 'State before the restore', description: 'Bytes' }),
  /** The backup that it was made of. */
  import_backup: data({ server_owned: true, hidden: true, length: 10 }),
} as const

/** Backing up; what is done with a backup is declared at `Site Backup`. */
export const backupActions = {
  backup: {
    label: 'Back up',
    phrase: 'Back up {title}',
    keywords: ['Save', 'Copy', 'Snapshot'],
    activity: 'backed up the site',
    allow: sharedGrants('write'),
    from: ['Live'],
    capability: 'backup',
    args: {
      note: data({ length: 200, label: 'Note' }),
      pinned: check({ label: 'Keep until it is unpinned' }),
      store: data({
        length: 10,
        // Pages with a choice of stores ask for it.
        hidden: true,
        label: 'Stored at',
        description: '`local` or the name of a connection; left out: the store of the organization.',
      }),
    },
    job: true,
    returns: 'BackupStarted',
  },
  easyengine_backup: {
    label: 'Back up by EasyEngine…',
    activity: 'got a key for a backup by EasyEngine',
    allow: sharedGrants('write'),
    from: ['Live'],
    for: ['engine', '=', 'ee'],
    returns: 'EasyEngineBackup',
    hidden: true,
  },
} as const
