import { Plus } from 'lucide-react'
import { CreateButton } from '#web/documents/form/create-button.tsx'
import { canCreateServers } from '#web/features/servers/can-create-servers.ts'
import { useUnfinishedJobs } from '#web/documents/jobs/unfinished-jobs.ts'
import { useCount } from '#web/lib/api/frappe.tsx'
import { locale, timeZone } from '#web/lib/i18n/locale.ts'
import { sessionRoles, useSession } from '#web/lib/session/session.tsx'
import { useNow } from '#web/lib/browser/use-now.ts'
import { RevealWhenReady } from '#web/ui/reveal-when-ready.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { PageHead, StickyAction } from '#web/ui/page-head.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { AttentionCard } from './attention-card.tsx'
import { Checklist } from './checklist.tsx'
import { DashboardSummary } from './dashboard-summary.tsx'
import { FavoritesCard, useFavorites } from './favorites-card.tsx'
import { LatestSites, useLatestSites } from './latest-sites.tsx'
import { t } from './messages.ts'
import { ProgressCard } from './progress-card.tsx'
import { TourOffer } from './tour-offer.tsx'
import { useAttention } from './use-attention.ts'
import { Widgets } from './widgets.tsx'

const today = new Intl.DateTimeFormat(locale, {
  timeZone,
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  hour: 'numeric',
  minute: '2-digit',
})

/** The dashboard: problems, running jobs and counts. Without any site, a checklist for the first one. */
export function DashboardPage() {
  const session = useSession()
  const { organization } = session
  // The session already knows whether there are sites, so nothing waits for their count. Members may see none of them.
  const likely = !sessionRoles(session).member && (session.subscription?.usage.site ?? 0) > 0
  const sites = useCount('Site')
  const atWpCloud = useCount(session.modules.wpc ? 'WPC Site' : null)
  if (sites.data === undefined && sites.error)
    return <ErrorPanel title={t('dashboard.error_title')} error={sites.error} onRetry={() => sites.reload()} />
  const isCounting = session.modules.wpc && atWpCloud.data === undefined && !atWpCloud.error
  if ((sites.data === undefined || isCounting) && !likely) return <DashboardSkeleton />
  return sites.data === 0 && !atWpCloud.data && organization ? <Checklist organization={organization} /> : <Overview />
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
  const session = useSession()
  const { modules } = session
  const attention = useAttention(modules)
  const jobs = useUnfinishedJobs()
  const favorites = useFavorites(modules.ee)
  const latest = useLatestSites(!favorites.loading && favorites.none)
  const attentionLoaded = attention.items !== undefined || attention.error !== null
  const known = attentionLoaded && (jobs.data !== undefined || jobs.error !== null)
  const listed = favorites.none ? latest.data !== undefined || latest.error !== null : !favorites.loading
  const create = (
    <CreateButton to="/site/create">
      <Plus size={16} strokeWidth={1.75} aria-hidden="true" />
      {t('dashboard.create_site')}
    </CreateButton>
  )
  return (
    <>
      <PageHead title={t('dashboard.title')} subtitle={today.format(now)}>
        {canCreateServers(session) ? (
          <CreateButton to="/server/create" plain className="max-md:hidden">
            {t('dashboard.create_server')}
          </CreateButton>
        ) : null}
        <span className="max-md:hidden">{create}</span>
      </PageHead>
      <TourOffer />
      <DashboardSummary attention={attention} jobs={jobs} modules={modules} />
      <div className="mb-4 grid items-stretch gap-4 lg:grid-cols-[minmax(0,1fr)_384px]">
        <AttentionCard attention={attention} />
        <RevealWhenReady ready={attentionLoaded} narrow>
          <ProgressCard jobs={jobs} />
        </RevealWhenReady>
      </div>
      <RevealWhenReady ready={known}>
        {favorites.none && !favorites.loading ? (
          <LatestSites latest={latest} />
        ) : (
          <FavoritesCard favorites={favorites} />
        )}
      </RevealWhenReady>
      <RevealWhenReady ready={known && listed}>
        <Widgets servers={modules.ee} />
      </RevealWhenReady>
      <StickyAction>{create}</StickyAction>
    </>
  )
}
