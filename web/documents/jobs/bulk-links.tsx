import type { BulkRun } from '#shared/doctypes/bulk-run.ts'
import { useSmallList } from '#web/lib/api/frappe.tsx'
import { createCatalog } from '#web/lib/i18n/catalog.ts'
import { formatNumber } from '#web/lib/i18n/format.ts'
import { Link } from '#web/lib/routing/router.tsx'
import { Time } from '#web/ui/time.tsx'
import { bulkRunLabel, bulkRunTone } from './bulk-run-label.ts'
import { DocStatus } from '../values/cells.tsx'

const t = createCatalog({
  'bulk.title': 'Bulk actions',
  'bulk.counts': '{ended} of {total}',
  'bulk.failed': '{count, number} failed',
})

const fields = ['name', 'label', 'status', 'total', 'waiting', 'running', 'done', 'failed', 'creation'] as const

/** Links to the latest bulk runs, live; `open`: those only that have not ended. Nothing if there are none. */
export function BulkLinks({ open = false, onFollow }: { open?: boolean; onFollow?: () => void }) {
  const { data } = useSmallList('Bulk Run', {
    fields,
    ...(open && { filters: [['status', 'in', ['Running', 'Paused']]] }),
    order_by: 'creation desc',
    limit: 5,
  })
  if (!data || data.length === 0) return null
  return (
    <section aria-label={t('bulk.title')} className="mb-4 rounded-card border border-border bg-surface shadow-xs">
      <h2 className="px-4 pt-3 text-table">{t('bulk.title')}</h2>
      <ul className="divide-y divide-hairline">
        {data.map((run) => (
          <BulkLink key={run.name} run={run} onFollow={onFollow} />
        ))}
      </ul>
    </section>
  )
}

function BulkLink({
  run,
  onFollow,
}: {
  run: Pick<BulkRun, (typeof fields)[number]>
  onFollow: (() => void) | undefined
}) {
  const { name, label, status, total, waiting, running, failed, creation } = run
  return (
    <li>
      <Link
        to={`/bulk/${encodeURIComponent(name)}`}
        onClick={onFollow}
        className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2 text-table hover:bg-hover focus-visible:-outline-offset-2"
      >
        <span className="min-w-0 flex-1 font-medium wrap-anywhere">{bulkRunLabel(label)}</span>
        <span className="text-muted">
          {t('bulk.counts', { ended: formatNumber(total - waiting - running), total: formatNumber(total) })}
        </span>
        {failed > 0 ? <span className="text-bad">{t('bulk.failed', { count: failed })}</span> : null}
        <DocStatus doctype="Bulk Run" value={status ?? ''} tone={bulkRunTone(run)} inset />
        <span className="text-muted max-md:hidden">
          <Time value={creation} />
        </span>
      </Link>
    </li>
  )
}
