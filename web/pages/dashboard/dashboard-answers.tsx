import type { Job } from '#shared/doctypes/job.ts'
import { useCount } from '#web/lib/frappe.tsx'
import { Answers, type Answer } from '#web/ui/answers.tsx'
import type { AttentionItem } from './attention.ts'
import { t } from './messages.ts'

function broken(items: readonly AttentionItem[] | undefined, sites: number | undefined): Omit<Answer, 'question'> {
  if (!items || sites === undefined) return { answer: null }
  if (items.length === 0) return { answer: t('dashboard.broken_none'), tone: 'ok', detail: sites > 0 ? t('dashboard.broken_fine', { count: sites }) : undefined }
  const failed = items.filter((item) => item.retrySite !== null).length
  const servers = items.filter((item) => item.key.startsWith('server ')).length
  const down = items.filter((item) => item.tone === 'bad').length - failed - items.filter((item) => item.key.startsWith('server ') && item.tone === 'bad').length
  const [count, answer] = down > 0
    ? [down, t('dashboard.broken_down', { count: down })]
    : failed > 0
      ? [failed, t('dashboard.broken_failed', { count: failed })]
      : [servers, t('dashboard.broken_servers', { count: servers })]
  const more = items.length - count
  return { answer, tone: items.some((item) => item.tone === 'bad') ? 'bad' : 'warn', detail: more > 0 ? t('dashboard.broken_more', { count: more }) : undefined }
}

/** The dashboard's three questions. */
export function DashboardAnswers({ attention, jobs, servers }: { attention: readonly AttentionItem[] | undefined; jobs: readonly Job[] | undefined; servers: boolean }) {
  const siteCount = useCount('Site', { filters: [['status', '!=', 'Archived']] }).data
  const archived = useCount('Site', { filters: [['status', '=', 'Archived']] }).data
  const serverCount = useCount(servers ? 'Server' : null, { filters: [['status', '!=', 'Decommissioned']] }).data
  const have = siteCount === undefined ? null : [t('dashboard.have_sites', { count: siteCount }), serverCount === undefined ? null : t('dashboard.have_servers', { count: serverCount })].filter(Boolean).join(', ')
  return (
    <Answers
      items={[
        { question: t('dashboard.broken_q'), ...broken(attention, siteCount) },
        {
          question: t('dashboard.running_q'),
          answer: jobs === undefined ? null : jobs.length > 0 ? t('dashboard.running', { count: jobs.length }) : t('dashboard.running_none'),
          tone: jobs && jobs.length > 0 ? 'info' : 'none',
          busy: Boolean(jobs && jobs.length > 0),
          detail: jobs?.[0]?.label ?? undefined,
        },
        { question: t('dashboard.have_q'), answer: have, detail: archived ? t('dashboard.have_archived', { count: archived }) : undefined },
      ]}
    />
  )
}
