import type { Job } from '#shared/doctypes/job.ts'
import { counted } from '#web/documents/counted.ts'
import { formatNumber } from '#web/lib/format.ts'
import { useCount } from '#web/lib/frappe.tsx'
import { jobLabel } from '#web/lib/job-label.ts'
import { Answers, type Answer } from '#web/ui/answers.tsx'
import { worstOf, type AttentionCounts } from './attention.ts'
import { countOf } from './counts.ts'
import { t } from './messages.ts'
import { unfinishedJobs } from './progress-card.tsx'
import { inUse, useCounted } from './use-counted.ts'

function broken(counts: AttentionCounts | undefined, sites: number | undefined): Omit<Answer, 'question'> {
  if (!counts || sites === undefined) return { answer: null }
  const worst = worstOf(counts)
  if (!worst)
    return {
      answer: t('dashboard.broken_none'),
      tone: 'ok',
      detail: sites > 0 ? t('dashboard.broken_fine', counted(sites)) : undefined,
    }
  return {
    answer: worst.text,
    tone: worst.tone,
    detail: worst.others > 0 ? t('dashboard.broken_more', { n: formatNumber(worst.others) }) : undefined,
  }
}

/** The dashboard's three questions. */
export function DashboardAnswers({
  attention,
  jobs,
  servers,
}: {
  attention: AttentionCounts | undefined
  jobs: readonly Job[] | undefined
  servers: boolean
}) {
  const siteCounts = useCounted('Site', 'status', []).rows
  const serverCounts = useCounted(servers ? 'Server' : null, 'status', inUse).rows
  const archived = siteCounts && countOf(siteCounts, ['Archived'])
  const siteCount = siteCounts && countOf(siteCounts) - (archived ?? 0)
  const serverCount = serverCounts && countOf(serverCounts)
  const have =
    siteCount === undefined
      ? null
      : [
          t('dashboard.have_sites', counted(siteCount)),
          serverCount === undefined ? null : t('dashboard.have_servers', counted(serverCount)),
        ]
          .filter(Boolean)
          .join(', ')
  const jobCount = useCount('Job', { filters: unfinishedJobs }).data ?? jobs?.length ?? 0
  const running = jobs !== undefined && jobs.length > 0
  return (
    <Answers
      items={[
        { question: t('dashboard.broken_q'), ...broken(attention, siteCount) },
        {
          question: t('dashboard.running_q'),
          answer:
            jobs === undefined
              ? null
              : running
                ? t('dashboard.running', counted(jobCount))
                : t('dashboard.running_none'),
          tone: running ? 'info' : 'none',
          busy: running,
          detail: jobs?.[0] ? jobLabel(jobs[0]) : undefined,
        },
        {
          question: t('dashboard.have_q'),
          answer: have,
          href: '/site',
          detail: archived ? t('dashboard.have_archived', { n: formatNumber(archived) }) : undefined,
        },
      ]}
    />
  )
}
