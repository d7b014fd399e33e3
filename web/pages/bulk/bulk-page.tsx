import { useState } from 'react'
import { BulkRunDoctype, type BulkRun } from '#shared/doctypes/bulk-run.ts'
import { bulkRows, type BulkRow } from '#shared/responses/bulk.ts'
import { useActionRunner, useActions } from '#web/documents/actions/use-actions.ts'
import { bulkRunTone } from '#web/documents/jobs/bulk-run-label.ts'
import { DenialReason } from '#web/documents/errors/denial-reason.tsx'
import { DocStatus } from '#web/documents/values/cells.tsx'
import { usePeople } from '#web/documents/people.ts'
import { useStartBulkRun } from '#web/features/sites/start-bulk-run.ts'
import { useDoc, useMethod } from '#web/lib/api/frappe.tsx'
import { useDocEvents, useListEvents } from '#web/lib/events/use-events.ts'
import { translateText } from '#web/lib/i18n/catalog.ts'
import { formatNumber } from '#web/lib/i18n/format.ts'
import { usePathParams } from '#web/lib/routing/route-match.ts'
import { useSearchParams } from '#web/lib/routing/router.tsx'
import { useTitle } from '#web/lib/routing/use-title.ts'
import { Button, ButtonLink } from '#web/ui/button.tsx'
import { ViewChip, ViewChips } from '#web/ui/chip.tsx'
import { EmptyState } from '#web/ui/empty-state.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { ProgressBar } from '#web/ui/meter.tsx'
import { PageHead } from '#web/ui/page-head.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { AlertDialog } from '#web/ui/overlay/alert-dialog.tsx'
import { BulkMatrix } from './bulk-matrix.tsx'
import { downloadReport } from './bulk-report.ts'
import { t } from './messages.ts'

/** Above this many sites, their rows are read at intervals instead of after each change. */
const manyRows = 200
const manyRowsMs = 3000

/** States one can filter by, in the order of the chips. */
const filterable = ['failed', 'running', 'waiting', 'done', 'skipped', 'canceled'] as const

/** A bulk action: a row per site with the steps of its job, live. */
export function BulkPage() {
  const name = usePathParams()['run'] ?? ''
  const { data: run, error, reload } = useDoc('Bulk Run', name)
  useTitle(run?.label ?? null)
  if (error?.httpStatus === 404)
    return (
      <EmptyState page title={t('bulk.missing_title')} action={<ButtonLink to="/job">{t('bulk.back')}</ButtonLink>}>
        {t('bulk.missing')}
      </EmptyState>
    )
  if (error && !run)
    return (
      <ErrorPanel page title={t('bulk.error_title')} error={error} onRetry={() => reload()}>
        <DenialReason error={error} doctype="Bulk Run" name={name} />
      </ErrorPanel>
    )
  if (!run) return <Skeleton className="h-80 w-full rounded-card" />
  return <OneRun run={run} />
}

/** The rows of a run: one call for all of them, however many changed. */
function useRows(run: BulkRun) {
  const isGoing = run.running > 0 || run.status === 'Running'
  const many = run.total > manyRows
  const read = useMethod(
    'run_doc_method',
    { dt: 'Bulk Run', dn: run.name, method: 'rows' },
    { verb: 'POST', returns: bulkRows, ...(many && isGoing && { refreshInterval: manyRowsMs }) },
  )
  const reload = () => void read.reload()
  useDocEvents(many ? null : 'Bulk Run', run.name, reload)
  // The steps of its jobs.
  useListEvents(isGoing && !many ? 'Job' : null, reload)
  return read
}

function OneRun({ run }: { run: BulkRun }) {
  const [params, setParams] = useSearchParams()
  const read = useRows(run)
  const personOf = usePeople([run.owner])
  const rows = read.data
  const shown = filterable.find((state) => state === params.get('show')) ?? null
  const ended = run.total - run.waiting - run.running
  const progress = t('bulk.progress', { ended: formatNumber(ended), total: formatNumber(run.total) })
  const show = (state: string | null) =>
    setParams(
      (current) => {
        const next = new URLSearchParams(current)
        if (state === null) next.delete('show')
        else next.set('show', state)
        return next
      },
      { replace: true },
    )
  const wanted = rows?.filter(({ state }) => shown === null || state === shown)
  return (
    <>
      <PageHead
        title={<RunTitle run={run} />}
        subtitle={
          <>
            <DocStatus doctype="Bulk Run" value={run.status ?? ''} tone={bulkRunTone(run)} />{' '}
            {t('bulk.by', { who: personOf(run.owner) })}
          </>
        }
      >
        <RunActions run={run} rows={rows} />
      </PageHead>
      <div className="mb-4 grid gap-1.5">
        <ProgressBar percent={run.total === 0 ? 0 : (100 * ended) / run.total} label={progress} />
        <p role="status" className="text-table text-muted">
          {progress}
          {run.status === 'Paused' ? ` · ${t('bulk.paused_hint')}` : null}
          {run.status === 'Cancelled' && run.running > 0 ? ` · ${t('bulk.cancelled_hint')}` : null}
        </p>
      </div>
      <ViewChips label={t('bulk.views')}>
        <ViewChip active={shown === null} count={run.total} onClick={() => show(null)}>
          {t('bulk.all')}
        </ViewChip>
        {filterable
          .filter((state) => state === 'failed' || run[state] > 0 || shown === state)
          .map((state) => (
            <ViewChip key={state} active={shown === state} count={run[state]} onClick={() => show(state)}>
              {t(`bulk.${state}`)}
            </ViewChip>
          ))}
      </ViewChips>
      {read.error && !rows ? (
        <ErrorPanel title={t('bulk.rows_error')} error={read.error} onRetry={() => read.reload()} />
      ) : null}
      {wanted === undefined ? (
        read.error ? null : (
          <Skeleton className="h-80 w-full rounded-card" />
        )
      ) : wanted.length === 0 ? (
        <EmptyState title={t('bulk.none')} />
      ) : (
        <BulkMatrix rows={wanted} all={rows ?? []} />
      )}
    </>
  )
}

/** The action and its argument, translated where they are words. */
function RunTitle({ run }: { run: BulkRun }) {
  const [label = '', ...rest] = (run.label ?? '').split(': ')
  return <>{[translateText(label), ...rest].join(': ')}</>
}

function RunActions({ run, rows }: { run: BulkRun; rows: readonly BulkRow[] | undefined }) {
  const [confirming, setConfirming] = useState(false)
  const [busy, setBusy] = useState(false)
  const { runOrToast } = useActionRunner(BulkRunDoctype)
  const start = useStartBulkRun()
  const offered = useActions(BulkRunDoctype, { ...run, doctype: 'Bulk Run' })
  const can = (name: string) => offered.find((one) => one.name === name)?.gate.enabled === true
  const act = async (name: string) => {
    setBusy(true)
    await runOrToast({ name: run.name }, name)
    setBusy(false)
  }
  const label = (name: string) => translateText(offered.find((one) => one.name === name)?.action.label ?? '')
  const done = (rows ?? []).filter(({ state, deleted }) => state === 'done' && !deleted).map(({ site }) => site)
  const isOver = run.waiting === 0 && run.running === 0
  return (
    <>
      {rows ? <Button onClick={() => downloadReport(run.name, rows)}>{t('bulk.report')}</Button> : null}
      {run.action === 'archive' && isOver && done.length > 0 ? (
        <Button onClick={() => void start.orToast('restore_archive', null, done)}>{t('bulk.undo')}</Button>
      ) : null}
      {run.failed > 0 && can('retry_failed') ? (
        <Button busy={busy} onClick={() => void act('retry_failed')}>
          {label('retry_failed')}
        </Button>
      ) : null}
      {can('pause') ? (
        <Button busy={busy} onClick={() => void act('pause')}>
          {label('pause')}
        </Button>
      ) : null}
      {can('resume') ? (
        <Button variant="primary" busy={busy} onClick={() => void act('resume')}>
          {label('resume')}
        </Button>
      ) : null}
      {can('cancel') ? <Button onClick={() => setConfirming(true)}>{label('cancel')}</Button> : null}
      <AlertDialog
        open={confirming}
        onOpenChange={setConfirming}
        title={t('bulk.cancel_title')}
        confirmLabel={t('bulk.cancel')}
        cancelLabel={t('bulk.keep')}
        onConfirm={() => act('cancel')}
      >
        {t('bulk.cancel_text', { count: run.waiting })}
      </AlertDialog>
    </>
  )
}
