import { unfinishedJobs, type UnfinishedJob } from '#web/documents/jobs/unfinished-jobs.ts'
import { inUse } from './dashboard-lists.ts'
import { formatNumber } from '#web/lib/i18n/format.ts'
import type { Session } from '#web/lib/session/session.tsx'
import { useCount, type Loaded } from '#web/lib/api/frappe.tsx'
import { SummaryCards, type SummaryCard } from '#web/ui/summary-cards.tsx'
import { worstProblem } from './attention-counts.ts'
import { countOf } from './counts.ts'
import { t } from './messages.ts'
import type { Attention } from './use-attention.ts'
import { useCounted } from './use-counted.ts'

function broken({ counts }: Attention, sites: number | undefined): Omit<SummaryCard, 'label'> {
  if (!counts || sites === undefined) return { value: null }
  const worst = worstProblem(counts)
  if (!worst)
    return {
      value: t('dashboard.broken_none'),
      tone: 'ok',
      detail: sites > 0 ? t('dashboard.broken_fine', { count: sites }) : undefined,
    }
  return {
    value: worst.text,
    tone: worst.tone,
    detail: worst.others > 0 ? t('dashboard.broken_more', { n: formatNumber(worst.others) }) : undefined,
  }
}

/** Summary cards of the dashboard: totals only; what they count is in the cards and charts below. */
export function DashboardSummary({
  attention,
  jobs: jobsRead,
  modules,
}: {
  attention: Attention
  jobs: Pick<Loaded<UnfinishedJob[]>, 'data' | 'error'>
  modules: Session['modules']
}) {
  const jobs = jobsRead.data
  const sitesRead = useCounted('Site', 'status', [])
  const siteCounts = sitesRead.rows
  const serverCounts = useCounted(modules.ee ? 'Server' : null, 'status', inUse).rows
  const archived = siteCounts && countOf(siteCounts, ['Archived'])
  const siteCount = siteCounts && countOf(siteCounts) - (archived ?? 0)
  const wpcCount = useCount(modules.wpc ? 'WPC Site' : null).data
  const serverCount = serverCounts && countOf(serverCounts)
  const have =
    siteCount === undefined
      ? null
      : [
          t('dashboard.have_sites', { count: siteCount }),
          wpcCount ? t('dashboard.have_wpc', { n: formatNumber(wpcCount) }) : null,
          serverCount === undefined ? null : t('dashboard.have_servers', { count: serverCount }),
        ]
          .filter(Boolean)
          .join(', ')
  const jobCount = useCount('Job', { filters: unfinishedJobs }).data ?? jobs?.length ?? 0
  const running = jobs !== undefined && jobs.length > 0
  return (
    <SummaryCards
      failed={Boolean(attention.error ?? jobsRead.error ?? sitesRead.error)}
      items={[
        { label: t('dashboard.broken_q'), ...broken(attention, siteCount) },
        {
          label: t('dashboard.running_q'),
          value:
            jobs === undefined
              ? null
              : running
                ? t('dashboard.running', { count: jobCount })
                : t('dashboard.running_none'),
          tone: running ? 'info' : 'none',
          busy: running,
        },
        {
          label: t('dashboard.have_q'),
          value: have,
          href: '/site',
          detail: archived ? t('dashboard.have_archived', { n: formatNumber(archived) }) : undefined,
        },
      ]}
    />
  )
}
