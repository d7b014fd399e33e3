import type { Site } from '#shared/doctypes/site.ts'
import { SiteBackupDoctype } from '#shared/doctypes/site-backup.ts'
import { restoredKeptDays, type backupWhats } from '#shared/rules/backups.ts'
import { ActionButton } from '#web/documents/actions/action-button.tsx'
import { rowDoc } from '#web/documents/bulk/bulk-choices.ts'
import { useCount } from '#web/lib/api/frappe.tsx'
import { formatNumber } from '#web/lib/i18n/format.ts'
import { Notice } from '#web/ui/notice.tsx'
import type { BackupRow } from './backup-columns.tsx'
import { ChangedSince } from './compare-counts.tsx'
import { t } from './messages.ts'

/** What is restored in place. */
export type What = (typeof backupWhats)[number] | 'parts'

export const hasDatabase = (site: Site): boolean => site.site_type === 'wp' || site.with_database === 1

/** What a restore in place takes from the site, and what is kept of it. */
export function RestoreLosses({
  site,
  backup,
  what,
  isRehearsed,
  onProve,
}: {
  site: Site
  backup: BackupRow
  what: What
  /** Whether a restore tries the backup out itself. */
  isRehearsed: boolean
  /** The backup is being tried out instead. */
  onProve: () => void
}) {
  const isImported = backup.kind === 'imported'
  const since = useCount('Activity', {
    filters: [
      ['reference_doctype', '=', 'Site'],
      ['reference_name', '=', site.name],
      ['superseded', '=', 0],
      // Backing up changes nothing.
      ['action', '!=', 'site.backup'],
      ['creation', '>=', backup.taken_at ?? backup.creation ?? ''],
    ],
  }).data
  return (
    <div className="grid gap-2 text-table">
      <Notice tone="warn">
        <p>
          {t(
            isImported
              ? 'restore.lose_imported'
              : !hasDatabase(site) && what !== 'parts'
                ? 'restore.lose_plain'
                : `restore.lose_${what}`,
          )}
        </p>
        <p aria-live="polite">
          <ChangedSince
            backup={backup.name}
            content={site.site_type === 'wp' && what !== 'files'}
            files={what !== 'database'}
          />
        </p>
        <p aria-live="polite">
          {since === undefined
            ? null
            : since === Infinity
              ? t('restore.since_many', { count: formatNumber(since) })
              : t('restore.since', { count: since })}
        </p>
      </Notice>
      {backup.proof === 'Proven' ? null : (
        <p>
          {t(isImported ? 'restore.unproven_imported' : isRehearsed ? 'restore.unproven' : 'restore.unproven_server')}
        </p>
      )}
      {backup.proof === 'Proven' || isRehearsed || isImported ? null : (
        <ActionButton
          type={SiteBackupDoctype}
          doc={rowDoc(SiteBackupDoctype, backup)}
          name="prove"
          label={t('restore.prove_first')}
          size="sm"
          onDone={onProve}
        />
      )}
      <p className="text-muted">
        {isImported ? t('restore.kept_imported') : t('restore.kept', { days: restoredKeptDays })}
      </p>
    </div>
  )
}
