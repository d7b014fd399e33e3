import { RotateCcw } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { JobType, type Job } from '#shared/doctypes/job.ts'
import { ActionButton } from '#web/documents/action-button.tsx'
import { useOpenJob } from '#web/documents/job-link.ts'
import type { ApiError } from '#web/lib/api-error.ts'
import { useList } from '#web/lib/frappe.tsx'
import { ButtonLink } from '#web/ui/button.tsx'
import { Card, CardHead } from '#web/ui/card.tsx'
import { Tag } from '#web/ui/chip.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { Glyph } from '#web/ui/status.tsx'
import { Time } from '#web/ui/time.tsx'
import { attentionItems, type AttentionItem, type AttentionServer, type AttentionSite } from './attention.ts'
import { t } from './messages.ts'

/** Shown at first; the rest on request. */
const shownAtFirst = 4
/** More trouble than this is a list, not a card. */
const most = 50

/** What needs a look, live. */
export interface Attention {
  items: readonly AttentionItem[] | undefined
  error: ApiError | null
  reload: () => void
}

/** Reads what needs a look; servers only where the module is on. */
export function useAttention(servers: boolean): Attention {
  const siteFields = ['name', 'domain', 'status', 'health', 'failure_reason', 'modified', 'health_checked_at'] as const
  const stopped = useList<AttentionSite>('Site', { fields: siteFields, filters: [['status', 'in', ['Failed', 'Suspended']]], order_by: 'modified asc', limit: most })
  const down = useList<AttentionSite>('Site', { fields: siteFields, filters: [['status', '=', 'Live'], ['health', '=', 'Down']], order_by: 'modified asc', limit: most })
  const machines = useList<AttentionServer>(servers ? 'Server' : null, { fields: ['name', 'hostname', 'status', 'modified'], filters: [['status', 'in', ['Degraded', 'Disconnected', 'Failed']]], limit: most })
  const ready = stopped.data && down.data && (machines.data || !servers)
  return {
    items: ready ? attentionItems([...(stopped.data ?? []), ...(down.data ?? [])], machines.data ?? []) : undefined,
    error: stopped.error ?? down.error ?? machines.error,
    reload: () => {
      void stopped.reload()
      void down.reload()
      void machines.reload()
    },
  }
}

/** The latest failed job of each named site, to be tried again. */
function useFailedJobs(sites: readonly string[]): ReadonlyMap<string, Job> {
  const jobs = useList<Job>(sites.length > 0 ? 'Job' : null, {
    fields: ['name', 'owner', 'status', 'label', 'reference_name'],
    filters: [['reference_doctype', '=', 'Site'], ['reference_name', 'in', [...sites]], ['status', '=', 'Failed']],
    order_by: 'creation asc',
    limit: most,
  })
  return new Map((jobs.data ?? []).map((job) => [job.reference_name ?? '', job]))
}

/** Trouble, worst first, each with the one thing that helps. */
export function AttentionCard({ attention }: { attention: Attention }) {
  const [all, setAll] = useState(false)
  const { items } = attention
  const failedJobs = useFailedJobs((items ?? []).flatMap((item) => item.retrySite ?? []))
  const shown = all ? items : items?.slice(0, shownAtFirst)
  return (
    <Card>
      <CardHead title={<span className="flex items-center gap-2">{t('dashboard.attention')}{items && items.length > 0 ? <Tag>{items.length}</Tag> : null}</span>} lined>
        {items && items.length > shownAtFirst && !all ? <button type="button" className="link" onClick={() => setAll(true)}>{t('dashboard.attention_all', { count: items.length })}</button> : null}
      </CardHead>
      {!items && attention.error ? <ErrorPanel className="flex items-start gap-3 p-4" title={t('dashboard.error_title')} error={attention.error} onRetry={attention.reload} /> : null}
      {!items && !attention.error ? <div aria-hidden="true" className="grid gap-3 p-4"><Skeleton className="h-4 w-56" /><Skeleton className="h-3 w-72" /></div> : null}
      {items?.length === 0 ? <p className="flex items-start gap-3 px-4 py-4 text-table"><Glyph tone="ok" className="mt-px" /><span><span className="block font-medium">{t('dashboard.attention_none_title')}</span><span className="text-muted">{t('dashboard.attention_none')}</span></span></p> : null}
      <ul className="divide-y divide-hairline">
        {shown?.map((item) => <AttentionLine key={item.key} item={item} job={item.retrySite ? failedJobs.get(item.retrySite) : undefined} />)}
      </ul>
    </Card>
  )
}

function AttentionLine({ item, job }: { item: AttentionItem; job: Job | undefined }) {
  const openJob = useOpenJob()
  return (
    <li className="flex min-h-[60px] items-center gap-3 py-3 pr-3 pl-4 max-md:flex-wrap max-md:items-start">
      <Glyph tone={item.tone} className="max-md:mt-0.5" />
      <div className="min-w-0 flex-1 max-md:basis-4/5">
        <Link to={item.href} className="block truncate font-medium hover:underline">{item.title}</Link>
        {item.reason ? <p className="line-clamp-2 text-table text-muted wrap-anywhere">{item.reason}</p> : null}
      </div>
      <Time value={item.since} className="flex-none text-meta text-muted max-md:hidden" />
      <span className="flex flex-none gap-2 max-md:ml-7">
        {job ? (
          <ActionButton type={JobType} doc={{ ...job, doctype: 'Job' }} name="retry" label={t('dashboard.retry')} size="sm" icon={<RotateCcw size={14} strokeWidth={1.75} aria-hidden="true" className="text-muted" />} onDone={() => openJob(job.name)} />
        ) : null}
        <ButtonLink to={item.href} size="sm">{t('dashboard.see_why')}</ButtonLink>
      </span>
    </li>
  )
}
