import { Archive } from 'lucide-react'
import { useState } from 'react'
import { useLocation } from 'react-router'
import type { FilterTriple } from '#shared/doctype.ts'
import { SiteBackupDoctype } from '#shared/doctypes/site-backup.ts'
import type { Site } from '#shared/doctypes/site.ts'
import { localBackups } from '#shared/rules/backups.ts'
import { useAttempt } from '#web/documents/actions/use-attempt.ts'
import type { ListColumn } from '#web/documents/list/list-columns.ts'
import { DocumentList } from '#web/documents/list/list.tsx'
import { deleteDoc } from '#web/lib/api/api.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { formatAbsolute } from '#web/lib/i18n/format.ts'
import { useSearchParams } from '#web/lib/routing/router.tsx'
import { EmptyState } from '#web/ui/empty-state.tsx'
import { AlertDialog } from '#web/ui/overlay/alert-dialog.tsx'
import type { BackupRow } from './backup-columns.tsx'
import { BackupDrawer } from './backup-drawer.tsx'
import { BackupItems, DeleteItem, type BackupQuestion } from './backup-menu.tsx'
import { CompareDialog } from './compare-counts.tsx'
import { t } from './messages.ts'
import { RestoreDialog } from './restore-dialog.tsx'

/** A list of backups with all that can be done with one; the address says which one is open. */
export function BackupList({
  site,
  scope,
  columns,
  storeOf,
  selectable,
}: {
  /** Whose backups they are; null: of any sites, also of those that are gone. Then none is restored in place. */
  site: Site | null
  scope: readonly FilterTriple[]
  columns: readonly ListColumn<BackupRow>[]
  /** The name of a store for people. */
  storeOf: (store: string | null | undefined) => string
  selectable?: boolean
}) {
  const [params, setParams] = useSearchParams()
  const { pathname, search, hash } = useLocation()
  const [question, setQuestion] = useState<{ kind: BackupQuestion; row: BackupRow } | null>(null)
  const show = (name: string | null) => {
    const wanted = new URLSearchParams(search)
    if (name) wanted.set('backup', name)
    else wanted.delete('backup')
    return wanted
  }
  const href = (row: BackupRow) => `${pathname}?${show(row.name).toString()}${hash}`
  const open = params.get('backup')
  const close = () => setQuestion(null)
  return (
    <>
      <DocumentList
        type={SiteBackupDoctype}
        columns={columns}
        scope={scope}
        savedViews={false}
        {...(selectable === undefined ? {} : { selectable })}
        href={href}
        errorTitle={t('backups.error')}
        rowMenu={(row) => (
          <BackupItems
            row={row}
            details={href(row)}
            inPlace={site !== null}
            onAsk={(kind) => setQuestion({ kind, row })}
          />
        )}
        rowMenuAfter={(row) => <DeleteItem row={row} onAsk={(kind) => setQuestion({ kind, row })} />}
        empty={
          <EmptyState icon={<Archive size={20} strokeWidth={1.75} />} title={t('backups.empty_title')}>
            {t('backups.empty')}
          </EmptyState>
        }
      />
      {open === null ? null : (
        <BackupDrawer {...{ site, storeOf }} name={open} onClose={() => setParams(show(null), { replace: true })} />
      )}
      {question === null ? null : question.kind === 'delete' ? (
        <DeleteDialog row={question.row} onClose={close} />
      ) : question.kind === 'compare' ? (
        <CompareDialog site={site} backup={question.row} onClose={close} />
      ) : (
        <RestoreDialog site={site} backup={question.row} target={question.kind} onClose={close} />
      )}
    </>
  )
}

function DeleteDialog({ row, onClose }: { row: BackupRow; onClose: () => void }) {
  const { failure, attempt } = useAttempt()
  return (
    <AlertDialog
      open
      onOpenChange={(next) => (next ? undefined : onClose())}
      title={t('delete.title')}
      confirmLabel={t('delete.confirm')}
      error={failure}
      onConfirm={() =>
        attempt(async () => {
          await deleteDoc('Site Backup', row.name)
          onClose()
          const isLocal = row.store === localBackups
          showToast({ title: t(isLocal ? 'delete.done' : 'delete.begun'), variant: 'success' })
        })
      }
    >
      <p>{t('delete.text', { when: formatAbsolute(row.taken_at ?? row.creation) })}</p>
    </AlertDialog>
  )
}
