import type { Doctype } from '#shared/doctype.ts'
import { SiteBackupDoctype } from '#shared/doctypes/site-backup.ts'
import { downloadLink } from '#shared/responses/backups.ts'
import { rolesOf } from '#web/documents/actions/viewer.ts'
import { useActions, useViewer } from '#web/documents/actions/use-actions.ts'
import { rowDoc } from '#web/documents/bulk/bulk-choices.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { runAction } from '#web/lib/api/api.ts'
import { checkedResult } from '#web/lib/api/checked-response.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { MenuItem, MenuSeparator } from '#web/ui/overlay/menu.tsx'
import type { BackupRow } from './backup-columns.tsx'
import { t } from './messages.ts'

/** What a menu entry asks for in a dialog of the tab. */
export type BackupQuestion = 'in_place' | 'new_site' | 'compare' | 'delete'

/** Entries of a backup's menu before its declared actions. */
export function BackupItems({
  row,
  details,
  inPlace,
  onAsk,
}: {
  row: BackupRow
  /** Address that opens its drawer. */
  details: string
  /** Whether a restore in place is offered. */
  inPlace: boolean
  onAsk: (question: BackupQuestion) => void
}) {
  const actions = useActions(SiteBackupDoctype, rowDoc(SiteBackupDoctype, row))
  const gateOf = (wanted: string) => actions.find(({ name }) => name === wanted)?.gate
  const [restore, compare, download] = [gateOf('restore'), gateOf('compare'), gateOf('download_link')]
  const restoreReason = restore?.enabled === false ? restore.reason : null
  return (
    <>
      <MenuItem href={details}>{t('menu.details')}</MenuItem>
      {restore ? (
        <>
          {inPlace ? (
            <MenuItem reason={restoreReason} onSelect={() => onAsk('in_place')}>
              {t('menu.restore')}
            </MenuItem>
          ) : null}
          <MenuItem
            reason={row.kind === 'imported' ? t('menu.only_in_place') : restoreReason}
            onSelect={() => onAsk('new_site')}
          >
            {t('menu.new_site')}
          </MenuItem>
        </>
      ) : null}
      {compare && inPlace ? (
        <MenuItem reason={compare.enabled ? null : compare.reason} onSelect={() => onAsk('compare')}>
          {t('menu.compare')}
        </MenuItem>
      ) : null}
      {download ? (
        <MenuItem reason={download.enabled ? null : download.reason} onSelect={() => void downloadBackup(row.name)}>
          {t('menu.download')}
        </MenuItem>
      ) : null}
    </>
  )
}

/** The entry that deletes a backup, for those who can. */
export function DeleteItem({ row, onAsk }: { row: BackupRow; onAsk: (question: BackupQuestion) => void }) {
  const { permissions }: Doctype = SiteBackupDoctype
  if (!rolesOf(useViewer(), null).some((role) => permissions[role]?.delete)) return null
  const isBusy = Boolean(row.locked_by_job) || !['Ready', 'Failed', 'Expired'].includes(row.status ?? '')
  return (
    <>
      <MenuSeparator />
      <MenuItem
        danger
        reason={isBusy ? t('menu.delete_busy') : row.pinned === 1 ? t('menu.delete_pinned') : null}
        onSelect={() => onAsk('delete')}
      >
        {t('menu.delete')}
      </MenuItem>
    </>
  )
}

/** The browser fetches the archive itself: it can have gigabytes, and a download that breaks off goes on. */
async function downloadBackup(name: string): Promise<void> {
  try {
    const { url } = checkedResult(downloadLink, await runAction('Site Backup', name, 'download_link'))
    const link = document.createElement('a')
    link.href = url
    link.download = ''
    link.click()
  } catch (error) {
    showToast({ title: t('menu.download_failed'), description: fullMessage(toApiError(error)), variant: 'danger' })
  }
}
