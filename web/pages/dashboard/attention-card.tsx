import { siteAttention, sitesInUse, wpcSiteAttention } from '#shared/rules/site-attention.ts'
import { unhealthyServers } from '#web/features/servers/use-server-problems.ts'
import { maxItems } from './dashboard-lists.ts'
import { Power, RefreshCw, RotateCcw } from 'lucide-react'
import { Link } from '#web/lib/routing/router.tsx'
import { JobDoctype, type Job } from '#shared/doctypes/job.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { ActionButton } from '#web/documents/actions/action-button.tsx'
import { listHref } from '#web/documents/query/list-href.ts'
import { rowDoc } from '#web/documents/bulk/bulk-choices.ts'
import { useOpenJob } from '#web/documents/jobs/job-link.ts'
import { formatNumber } from '#web/lib/i18n/format.ts'
import { useList } from '#web/lib/api/frappe.tsx'
import { ButtonLink } from '#web/ui/button.tsx'
import { Card, CardHead } from '#web/ui/card.tsx'
import { Tag } from '#web/ui/chip.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { StatusIcon } from '#web/ui/status.tsx'
import { Time } from '#web/ui/time.tsx'
import { attentionTotal } from './attention-counts.ts'
import type { AttentionItem } from './attention.ts'
import { t } from './messages.ts'
import type { Attention } from './use-attention.ts'

/** Maximum items; the lists have all. */
const most = 4
const jobFields = ['name', 'owner', 'status', 'label', 'reference_name'] as const

type FailedJob = Pick<Job, (typeof jobFields)[number]>

/** The latest failed job of each given site, for a retry. */
function useFailedJobs(sites: readonly string[]): ReadonlyMap<string, FailedJob> {
  const jobs = useList(sites.length > 0 ? 'Job' : null, {
    fields: jobFields,
    filters: [
      ['reference_doctype', '=', 'Site'],
      ['reference_name', 'in', [...sites]],
      ['status', '=', 'Failed'],
    ],
    order_by: 'creation asc',
    limit: maxItems,
  })
  return new Map((jobs.data ?? []).map((job) => [job.reference_name ?? '', job]))
}

/** Problems, worst first, each with one action that helps. */
export function AttentionCard({ attention }: { attention: Attention }) {
  const { items, counts } = attention
  const total = counts ? attentionTotal(counts) : (items?.length ?? 0)
  const failedJobs = useFailedJobs((items ?? []).slice(0, most).flatMap((item) => item.retrySite ?? []))
  const shown = items?.slice(0, most)
  return (
    <Card>
      <CardHead
        title={
          <span className="flex items-center gap-2">
            {t('dashboard.attention')}
            {total > 0 ? <Tag>{formatNumber(total)}</Tag> : null}
          </span>
        }
        lined
      >
        {counts && items && (items.length > most || total > items.length) ? (
          <span className="flex flex-wrap justify-end gap-x-4 text-table">
            {counts.sites > 0 ? (
              <Link className="link" to={listHref('/site', sitesInUse, siteAttention)}>
                {t('dashboard.attention_sites', { count: counts.sites })}
              </Link>
            ) : null}
            {counts.wpc > 0 ? (
              <Link className="link" to={listHref('/site/wp-cloud', wpcSiteAttention)}>
                {t('dashboard.attention_wpc', { count: counts.wpc })}
              </Link>
            ) : null}
            {counts.servers > 0 ? (
              <Link className="link" to={listHref('/server', unhealthyServers)}>
                {t('dashboard.attention_servers', { count: counts.servers })}
              </Link>
            ) : null}
          </span>
        ) : null}
      </CardHead>
      {!items && attention.error ? (
        <ErrorPanel
          className="flex items-start gap-3 p-4"
          title={t('dashboard.error_title')}
          error={attention.error}
          onRetry={attention.reload}
        />
      ) : null}
      {!items && !attention.error ? (
        <div aria-hidden="true" className="grid gap-3 p-4">
          <Skeleton className="h-4 w-56" />
          <Skeleton className="h-3 w-72" />
        </div>
      ) : null}
      {items?.length === 0 ? (
        <p className="flex items-start gap-3 px-4 py-4 text-table">
          <StatusIcon tone="ok" className="mt-px" />
          <span>
            <span className="block font-medium">{t('dashboard.attention_none_title')}</span>
            <span className="text-muted">{t('dashboard.attention_none')}</span>
          </span>
        </p>
      ) : null}
      <ul className="divide-y divide-hairline">
        {shown?.map((item) => (
          <AttentionLine key={item.key} item={item} job={item.retrySite ? failedJobs.get(item.retrySite) : undefined} />
        ))}
      </ul>
    </Card>
  )
}

/** Fields that the action's gate doesn't use. */
const unknown = { creation: '', modified_by: '', docstatus: 0 as const, idx: 0 }

function AttentionLine({ item, job }: { item: AttentionItem; job: FailedJob | undefined }) {
  const openJob = useOpenJob()
  return (
    <li className="flex min-h-[60px] items-center gap-3 py-3 pr-3 pl-4 max-md:flex-wrap max-md:items-start">
      <StatusIcon tone={item.tone} className="max-md:mt-0.5" />
      <div className="min-w-0 flex-1 max-md:basis-4/5">
        <Link to={item.href} className="line-clamp-2 font-medium wrap-anywhere hover:underline">
          {item.title}
        </Link>
        {item.reason ? (
          <p lang={item.reasonLang} className="line-clamp-2 text-table text-muted wrap-anywhere">
            {item.reason}
          </p>
        ) : null}
      </div>
      <Time value={item.since} className="flex-none text-meta text-muted max-md:hidden" />
      <span className="flex flex-none gap-2 max-md:ml-7">
        {job ? (
          <ActionButton
            type={JobDoctype}
            doc={rowDoc(JobDoctype, job)}
            name="retry"
            label={t('dashboard.retry')}
            size="sm"
            onlyPossible
            icon={<RotateCcw size={14} strokeWidth={1.75} aria-hidden="true" className="text-muted" />}
            onDone={() => openJob(job.name)}
          />
        ) : null}
        {item.help ? (
          <ActionButton
            type={SiteDoctype}
            doc={rowDoc(SiteDoctype, item.help.site)}
            name={item.help.action}
            size="sm"
            onlyPossible
            icon={<Power size={14} strokeWidth={1.75} aria-hidden="true" className="text-muted" />}
          />
        ) : null}
        {item.measure ? (
          <ActionButton
            type={ServerDoctype}
            doc={{ ...unknown, ...item.measure, doctype: 'Server' }}
            name="refresh_facts"
            label={t('dashboard.measure')}
            size="sm"
            onlyPossible
            icon={<RefreshCw size={14} strokeWidth={1.75} aria-hidden="true" className="text-muted" />}
          />
        ) : null}
        <ButtonLink to={item.href} size="sm">
          {t('dashboard.see_why')}
        </ButtonLink>
      </span>
    </li>
  )
}
