import { useState } from 'react'
import { fileTrash, type TrashedFiles } from '#shared/responses/site-files.ts'
import { siteFileLimits } from '#shared/rules/site-files.ts'
import { useAttempt } from '#web/documents/actions/use-attempt.ts'
import { runAction } from '#web/lib/api/api.ts'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { formatAbsolute, formatRelative } from '#web/lib/i18n/format.ts'
import { AlertDialog } from '#web/ui/overlay/alert-dialog.tsx'
import { Button } from '#web/ui/button.tsx'
import { Dialog } from '#web/ui/overlay/dialog.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { rereadFolders, shownName } from './file-data.ts'
import { t } from './messages.ts'

/** What was deleted, to restore it or to delete it for good. */
export function TrashDialog({ site, locked, onClose }: { site: string; locked: string | null; onClose: () => void }) {
  const { data, error, reload } = useMethod(
    'run_doc_method',
    { dt: 'Site', dn: site, method: 'list_trash' },
    { verb: 'POST', returns: fileTrash },
  )
  const { failure, attempt } = useAttempt()
  const [emptying, setEmptying] = useState(false)
  const restore = ({ trash }: TrashedFiles) =>
    attempt(async () => {
      await runAction('Site', site, 'restore_files', { trash })
      await Promise.all([reload(), rereadFolders(site)])
    })
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title={t('trash.title')}
      description={t('trash.text', { days: siteFileLimits.trashDays })}
      width="md:w-[560px]"
      footer={
        data && data.length > 0 && locked === null ? (
          <Button variant="danger" onClick={() => setEmptying(true)}>
            {t('trash.empty')}
          </Button>
        ) : null
      }
    >
      {failure === null ? null : (
        <p role="alert" className="mb-2 text-table text-bad">
          {failure}
        </p>
      )}
      {error && !data ? (
        <ErrorPanel title={t('trash.error_title')} error={error} onRetry={() => reload()} />
      ) : !data ? (
        <Skeleton className="h-24 w-full" />
      ) : data.length === 0 ? (
        <p className="text-table text-muted">{t('trash.none', { days: siteFileLimits.trashDays })}</p>
      ) : (
        <ul>
          {data.map((item) => (
            <TrashRow key={item.trash} item={item} locked={locked} onRestore={() => void restore(item)} />
          ))}
        </ul>
      )}
      <AlertDialog
        open={emptying}
        onOpenChange={setEmptying}
        title={t('trash.empty_title')}
        confirmLabel={t('trash.empty')}
        onConfirm={async () => {
          await attempt(async () => {
            await runAction('Site', site, 'empty_trash')
            await reload()
          })
          setEmptying(false)
        }}
      >
        {t('trash.empty_text')}
      </AlertDialog>
    </Dialog>
  )
}

function TrashRow({ item, locked, onRestore }: { item: TrashedFiles; locked: string | null; onRestore: () => void }) {
  const [first = ''] = item.paths
  const deleted = new Date(item.deleted)
  return (
    <li className="flex min-h-11 items-center gap-3 border-b border-hairline py-1 text-table last:border-b-0">
      <span className="min-w-0 flex-1">
        <span className="block truncate" translate="no">
          <bdi>{shownName(first)}</bdi>
        </span>
        <span className="block text-meta text-muted">
          {item.paths.length > 1 ? `${t('trash.more', { count: item.paths.length - 1 })} · ` : ''}
          <time dateTime={deleted.toISOString()} title={formatAbsolute(deleted)}>
            {formatRelative(deleted)}
          </time>
        </span>
      </span>
      {locked === null ? (
        <Button size="md" aria-label={t('trash.restore_of', { name: shownName(first) })} onClick={onRestore}>
          {t('trash.restore')}
        </Button>
      ) : null}
    </li>
  )
}
