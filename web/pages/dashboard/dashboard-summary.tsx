import { unfinishedJobs, type UnfinishedJob } from '#web/documents/jobs/unfinished-jobs.ts'
import { dashboardLists, inUse } from './dashboard-lists.ts'
import { statusLabel } from '#web/documents/values/status-tones.ts'
import { formatNumber } from '#web/lib/i18n/format.ts'
import { useCount, useSmallList, type Loaded } from '#web/lib/api/frappe.tsx'
import { jobLabel } from '#web/documents/jobs/job-label.ts'
import { locale } from '#web/lib/i18n/locale.ts'
import { SummaryCards, type SummaryCard } from '#web/ui/summary-cards.tsx'
import type { RelativeTime } from '#web/ui/time.tsx'
import { worstProblem } from './attention.ts'
import { countOf, type Counted } from './counts.ts'
import { t } from './messages.ts'
import type { Attention } from './use-attention.ts'
import { useCounted } from './use-counted.ts'

const list = new Intl.ListFormat(locale, { style: 'short', type: 'unit' })

function broken({ counts, items }: Attention, sites: number | undefined): Omit<SummaryCard, 'label'> {
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
    detail: worst.others > 0 ? t('dashboard.broken_more', { n: formatNumber(worst.others) }) : items?.[0]?.title,
  }
}

/** "2 live, 1 failed, 3 in the archive". */
function statesOf(rows: readonly Counted[], archived: number): string {
  return list.format([
    ...rows.flatMap(({ value, n }) =>
      value === null || value === 'Archived'
        ? []
        : [
            t('dashboard.have_state', {
              n: formatNumber(n),
              status: statusLabel('Site', 'status', value).toLocaleLowerCase(locale),
            }),
          ],
    ),
    ...(archived > 0 ? [t('dashboard.have_archived', { n: formatNumber(archived) })] : []),
  ])
}

/** The last completed job. Requested along with everything else; after the running jobs it would delay the screen. */
function useLastJob(): RelativeTime | undefined {
  const [last] = useSmallList(...dashboardLists.lastJob).data ?? []
  return last?.ended
    ? { value: last.ended, format: (when) => t('dashboard.running_last', { label: jobLabel(last), when }) }
    : undefined
}

/** Summary cards of the dashboard. */
export function DashboardSummary({
  attention,
  jobs: jobsRead,
  servers,
}: {
  attention: Attention
  jobs: Pick<Loaded<UnfinishedJob[]>, 'data' | 'error'>
  servers: boolean
}) {
  const jobs = jobsRead.data
  const sitesRead = useCounted('Site', 'status', [])
  const siteCounts = sitesRead.rows
  const serverCounts = useCounted(servers ? 'Server' : null, 'status', inUse).rows
  const archived = siteCounts && countOf(siteCounts, ['Archived'])
  const siteCount = siteCounts && countOf(siteCounts) - (archived ?? 0)
  const serverCount = serverCounts && countOf(serverCounts)
  const have =
    siteCount === undefined
      ? null
      : [
          t('dashboard.have_sites', { count: siteCount }),
          serverCount === undefined ? null : t('dashboard.have_servers', { count: serverCount }),
        ]
          .filter(Boolean)
          .join(', ')
  const jobCount = useCount('Job', { filters: unfinishedJobs }).data ?? jobs?.length ?? 0
  const running = jobs !== undefined && jobs.length > 0
  const lastJob = useLastJob()
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
          detail: jobs?.[0] ? jobLabel(jobs[0]) : lastJob,
        },
        {
          label: t('dashboard.have_q'),
          value: have,
          href: '/site',
          detail: siteCounts ? statesOf(siteCounts, archived ?? 0) : undefined,
        },
      ]}
    />
  )
}
