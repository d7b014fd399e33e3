import { useState } from 'react'
import { runAction } from '#web/lib/api/api.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { formatNumber, formatPercent } from '#web/lib/i18n/format.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { cx } from '#web/lib/browser/cx.ts'
import { Button } from '#web/ui/button.tsx'
import { Drawer } from '#web/ui/overlay/drawer.tsx'
import { ProgressBar } from '#web/ui/meter.tsx'
import { StatusPill, type Tone } from '#web/ui/status.tsx'
import { isOver, type RowOutcome, type RowProgress } from './bulk-progress.ts'
import { isRunning, retryBulk, startBulk, startedJob, stopBulk, type BulkRun } from './bulk-run.ts'
import { useOpenJob } from '../jobs/job-link.ts'
import { t as actionText } from '../actions/messages.ts'
import { t } from './messages.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'

const looks: Readonly<Record<RowOutcome, { tone: Tone; busy?: true }>> = {
  waiting: { tone: 'none' },
  running: { tone: 'info', busy: true },
  done: { tone: 'ok' },
  failed: { tone: 'bad' },
  canceled: { tone: 'off' },
  stopped: { tone: 'off' },
}

/** Rows rendered initially, and added with each "more". */
const step = 200

/** Retries a row: its job from the failed step, or the request that never started one. */
async function retry(row: RowProgress): Promise<void> {
  if (!row.failedJob || row.job === null) {
    retryBulk(row.name)
    return
  }
  try {
    await runAction('Job', row.job, 'retry')
  } catch (error) {
    showToast({
      title: actionText('action.failed', { action: t('bulk.retry') }),
      description: fullMessage(toApiError(error)),
      variant: 'danger',
    })
  }
}

/** Undoes every completed row in a run of its own. */
function takeBack(run: BulkRun, undo: BulkRun['undo'], rows: readonly RowProgress[]): void {
  if (!undo) return
  const { doctype, noun } = run
  startBulk({ doctype, noun, label: undo.label, rows }, async (row) =>
    startedJob(await runAction(doctype, row.name, undo.action)),
  )
}

/** Every row of a bulk run: state, failure reason, job and retry. */
export function BulkDrawer({
  run,
  rows,
  onClose,
}: {
  run: BulkRun
  rows: readonly RowProgress[]
  onClose: () => void
}) {
  const openJob = useOpenJob()
  const [shown, setShown] = useState(step)
  // Failed rows need attention, so they are always shown.
  const renderedRows = rows.filter((row, at) => at < shown || row.outcome === 'failed')
  const ended = rows.filter(isOver).length
  const failed = rows.filter((row) => row.outcome === 'failed' || row.outcome === 'stopped')
  const done = rows.filter((row) => row.outcome === 'done')
  const percent = rows.length === 0 ? 0 : (100 * ended) / rows.length
  const label = t('bulk.progress', { done: formatNumber(ended), total: formatNumber(rows.length) })
  return (
    <Drawer
      open
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title={t('bulk.title', { action: run.label, noun: run.noun, count: rows.length })}
      head={
        <div className="mt-2 grid gap-1.5">
          <ProgressBar percent={percent} label={label} />
          <p role="status" className="text-meta text-muted">
            {label}
          </p>
        </div>
      }
      footer={
        <>
          <span className="mr-auto text-meta text-muted">{isRunning(run) ? t('bulk.close_hint') : null}</span>
          {isRunning(run) ? (
            <Button onClick={stopBulk}>{t('bulk.stop')}</Button>
          ) : failed.length > 0 ? (
            <Button onClick={() => failed.forEach((row) => void retry(row))}>
              {t('bulk.retry_all', { count: failed.length })}
            </Button>
          ) : null}
          {run.undo && done.length > 0 && rows.every(isOver) ? (
            <Button onClick={() => takeBack(run, run.undo, done)}>{actionText('action.undo')}</Button>
          ) : null}
          <Button variant="primary" onClick={onClose}>
            {t('bulk.close')}
          </Button>
        </>
      }
    >
      <ul className="divide-y divide-hairline">
        {renderedRows.map((row) => (
          <li key={row.name} className="flex min-h-11 items-center gap-3 px-5 py-2 text-table">
            <div className="min-w-0 flex-1">
              <p className="font-medium wrap-anywhere">{row.title}</p>
              {row.detail ? (
                <p className="text-meta text-muted wrap-anywhere" translate="no">
                  {row.detail}
                </p>
              ) : null}
              {row.reason ? (
                <p
                  lang={row.reasonLang}
                  className={cx('mt-0.5 text-meta wrap-anywhere', row.outcome === 'done' ? 'text-warn' : 'text-bad')}
                >
                  {row.reason}
                </p>
              ) : null}
            </div>
            {row.outcome === 'failed' || row.outcome === 'stopped' ? (
              <Button size="sm" aria-label={t('bulk.retry_row', { title: row.title })} onClick={() => void retry(row)}>
                {t('bulk.retry')}
              </Button>
            ) : null}
            {row.job === null ? (
              <Pill row={row} />
            ) : (
              <button
                type="button"
                className="rounded-full hover:underline"
                aria-label={`${outcomeText(row)}. ${t('bulk.job', { title: row.title })}`}
                onClick={() => {
                  const { job } = row
                  onClose()
                  openJob(job)
                }}
              >
                <Pill row={row} />
              </button>
            )}
          </li>
        ))}
      </ul>
      {renderedRows.length < rows.length ? (
        <p className="border-t border-hairline px-5 py-3">
          <Button onClick={() => setShown(shown + step)}>
            {t('bulk.more', { count: rows.length - renderedRows.length })}
          </Button>
        </p>
      ) : null}
    </Drawer>
  )
}

function outcomeText({ outcome }: RowProgress): string {
  return t(`bulk.${outcome}`)
}

function Pill({ row }: { row: RowProgress }) {
  const { tone, busy = false } = looks[row.outcome]
  return (
    <StatusPill tone={tone} busy={busy}>
      {row.percent === null ? outcomeText(row) : `${outcomeText(row)} ${formatPercent(Math.round(row.percent))}`}
    </StatusPill>
  )
}
