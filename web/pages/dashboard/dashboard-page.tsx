import { Plus } from 'lucide-react'
import { useCount } from '#web/lib/frappe.tsx'
import { locale, timeZone } from '#web/lib/locale.ts'
import { useSession } from '#web/lib/session.tsx'
import { useNow } from '#web/lib/use-now.ts'
import { ButtonLink } from '#web/ui/button.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { PageHead, StickyAction } from '#web/ui/page-head.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { AttentionCard } from './attention-card.tsx'
import { Checklist } from './checklist.tsx'
import { DashboardAnswers } from './dashboard-answers.tsx'
import { FavouritesCard } from './favourites-card.tsx'
import { t } from './messages.ts'
import { ProgressCard, useRunningJobs } from './progress-card.tsx'
import { useAttention } from './use-attention.ts'
import { Widgets } from './widgets.tsx'

const today = new Intl.DateTimeFormat(locale, {
  timeZone,
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  hour: '2-digit',
  minute: '2-digit',
})

/** The first screen: what is broken, what runs, what there is. Without any site, how to get the first one. */
export function DashboardPage() {
  const { organization } = useSession()
  const sites = useCount('Site')
  if (sites.data === undefined && sites.error)
    return <ErrorPanel title={t('dashboard.error_title')} error={sites.error} onRetry={() => void sites.reload()} />
  if (sites.data === undefined) return <DashboardSkeleton />
  return sites.data === 0 && organization ? <Checklist organization={organization} /> : <Overview />
}

function DashboardSkeleton() {
  return (
    <div aria-hidden="true" className="late grid gap-4">
      <Skeleton className="h-9 w-48" />
      <Skeleton className="h-24 w-full rounded-card" />
      <Skeleton className="h-64 w-full rounded-card" />
    </div>
  )
}

function Overview() {
  const now = useNow(60_000)
  const { modules } = useSession()
  const attention = useAttention(modules.ee)
  const jobs = useRunningJobs()
  const create = (
    <ButtonLink to="/site/create" variant="primary">
      <Plus size={16} strokeWidth={1.75} aria-hidden="true" />
      {t('dashboard.create_site')}
    </ButtonLink>
  )
  return (
    <>
      <PageHead title={t('dashboard.title')} fact={today.format(now)}>
        <span className="max-md:hidden">{create}</span>
      </PageHead>
      <DashboardAnswers attention={attention.counts} jobs={jobs.data} servers={modules.ee} />
      <div className="mb-4 grid items-stretch gap-4 lg:grid-cols-[minmax(0,1fr)_384px]">
        <AttentionCard attention={attention} />
        <ProgressCard jobs={jobs} />
      </div>
      <FavouritesCard servers={modules.ee} />
      <Widgets servers={modules.ee} />
      <StickyAction>{create}</StickyAction>
    </>
  )
}
