import { useEffect, useEffectEvent, useRef } from 'react'
import type { BulkRun } from '#shared/doctypes/bulk-run.ts'
import { bulkRunLabel } from '#web/documents/jobs/bulk-run-label.ts'
import { useSmallList } from '#web/lib/api/frappe.tsx'
import { formatNumber } from '#web/lib/i18n/format.ts'
import { showToast, type ToastInput } from '#web/lib/browser/toasts.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { useEndMark } from './end-mark.ts'
import { tShell } from './messages.ts'
import { storedEnds, storeEnds, toldAfter, untoldEnds, type ToldEnds } from './told-ends.ts'

const fields = ['name', 'label', 'status', 'ended', 'total', 'failed', 'skipped', 'canceled'] as const
/** Ended bulk runs that are read. */
const limit = 5

/** A bulk run that has ended. */
type EndedRun = Pick<BulkRun, (typeof fields)[number]>

const pathOf = (run: EndedRun): string => `/bulk/${encodeURIComponent(run.name)}`

/** What a user is told of an ended bulk run: its outcome, and its page. */
function runEndToast(run: EndedRun): ToastInput {
  const label = bulkRunLabel(run.label)
  const failed = run.failed ?? 0
  const skipped = run.skipped ?? 0
  const canceled = run.canceled ?? 0
  const details = [
    ...(failed > 0
      ? [tShell('shell.run_failed', { failed: formatNumber(failed), total: formatNumber(run.total ?? 0) })]
      : []),
    ...(skipped > 0 ? [tShell('shell.run_skipped', { count: skipped })] : []),
    ...(canceled > 0 ? [tShell('shell.run_canceled', { count: canceled })] : []),
  ]
  return {
    title: tShell(run.status === 'Cancelled' ? 'shell.job_canceled' : 'shell.run_ended', { label }),
    ...(details.length > 0 && { description: details.join(' ') }),
    variant: failed > 0 ? 'danger' : run.status === 'Cancelled' || skipped + canceled > 0 ? 'info' : 'success',
    polite: true,
    action: { label: tShell('shell.job_see'), href: pathOf(run) },
  }
}

/**
 * Tells the user of their own bulk runs that end while the run's page is closed, like `JobEnds` of single jobs: once in each
 * tab.
 */
export function BulkEnds() {
  const { user, organization } = useSession()
  const own = user ?? ''
  const tenant = organization?.name ?? ''
  const runs = useSmallList(tenant === '' ? null : 'Bulk Run', {
    fields,
    filters: [
      ['owner', '=', own],
      ['ended', 'is', 'set'],
    ],
    order_by: 'ended desc',
    limit,
  }).data
  const told = useRef<ToldEnds | null>(null)
  const markTab = useEndMark()
  const tell = useEffectEvent((newest: readonly EndedRun[]) => {
    const before = told.current ?? storedEnds(own, tenant, 'runs')
    // The page of a run shows its end itself.
    const ended = untoldEnds(newest, before).filter((run) => !location.pathname.endsWith(pathOf(run)))
    for (const run of ended.toReversed()) showToast(runEndToast(run))
    if (ended.length > 0) markTab(ended.some(({ failed }) => (failed ?? 0) > 0))
    told.current = toldAfter(newest, before, limit)
    storeEnds(own, tenant, told.current, 'runs')
  })
  useEffect(() => {
    if (runs) tell(runs)
  }, [runs])
  return null
}
