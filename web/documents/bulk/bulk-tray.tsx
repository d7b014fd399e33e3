import { X } from 'lucide-react'
import { useState } from 'react'
import { formatNumber } from '#web/lib/i18n/format.ts'
import { Button } from '#web/ui/button.tsx'
import { IconButton } from '#web/ui/icon-button.tsx'
import { StatusMark } from '#web/ui/images/status-marks.tsx'
import { Spinner } from '#web/ui/spinner.tsx'
import { BulkDrawer } from '../later-forms.tsx'
import { isOver, useProgress } from './bulk-progress.ts'
import { dismissBulkRun, isRunning, useBulkRun } from './bulk-run.ts'
import { t } from './messages.ts'

/** Status bar of a bulk run at the lower edge until its result was seen, with its drawer. */
export function BulkTray({ raised }: { raised: boolean }) {
  const run = useBulkRun()
  const rows = useProgress(run)
  const [dismissedId, setDismissedId] = useState<number | null>(null)
  const [open, setOpen] = useState(false)
  // A new run opens its drawer; closing it leaves the status bar.
  if (run && dismissedId !== run.id) {
    setDismissedId(run.id)
    setOpen(true)
  }
  if (!run) return null
  const ended = rows.filter(isOver).length
  const failed = rows.filter((row) => row.outcome === 'failed').length
  const finished = ended === rows.length
  return (
    <>
      <div
        role="region"
        data-low
        aria-label={run.label}
        className={`pop fixed right-5 z-20 flex max-w-[calc(100vw-40px)] items-center gap-2 rounded-pop border border-border bg-raised py-1.5 pr-1.5 pl-3 text-table shadow-pop ${raised ? 'bottom-20' : 'bottom-5'} max-md:right-4 max-md:bottom-20`}
      >
        {finished ? <StatusMark tone={failed > 0 ? 'bad' : 'ok'} size={16} /> : <Spinner className="size-4" />}
        <span className="min-w-0 truncate font-medium">{run.label}</span>
        <span role="status" className="text-muted">
          {finished
            ? t('bulk.result', {
                done: formatNumber(ended - failed),
                failed: formatNumber(failed),
                count: rows.length,
              })
            : t('bulk.progress', { done: formatNumber(ended), total: formatNumber(rows.length) })}
        </span>
        <Button size="sm" variant="ghost" onClick={() => setOpen(true)}>
          {t('bulk.show')}
        </Button>
        {isRunning(run) ? null : (
          <IconButton size="md" label={t('bulk.dismiss')} onClick={dismissBulkRun}>
            <X size={16} strokeWidth={1.75} aria-hidden="true" />
          </IconButton>
        )}
      </div>
      {open ? <BulkDrawer run={run} rows={rows} onClose={() => setOpen(false)} /> : null}
    </>
  )
}
