import { Plus, Server as ServerIcon } from 'lucide-react'
import { useMemo } from 'react'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { sitesInUse } from '#shared/rules/site-attention.ts'
import { listHref } from '#web/documents/query/list-href.ts'
import { CreateButton } from '#web/documents/form/create-button.tsx'
import { DocumentList } from '#web/documents/list/list.tsx'
import type { ListView } from '#web/documents/query/saved-views.ts'
import { canCreateServers } from '#web/features/servers/can-create-servers.ts'
import { PlanNudge } from '#web/features/plans/plan-nudge.tsx'
import { unhealthyServers as unhealthy, useServerProblems } from '#web/features/servers/use-server-problems.ts'
import { useSiteCounts } from '#web/features/sites/use-site-counts.ts'
import { formatPercent } from '#web/lib/i18n/format.ts'
import { useCount, useSmallList } from '#web/lib/api/frappe.tsx'
import { nearLimit } from '#web/lib/api/plan-limits.ts'
import { locale } from '#web/lib/i18n/locale.ts'
import { sessionRoles, useSession } from '#web/lib/session/session.tsx'
import { SummaryCards, type SummaryCard } from '#web/ui/summary-cards.tsx'
import { EmptyState } from '#web/ui/empty-state.tsx'
import { meterTone } from '#web/ui/meter.tsx'
import { PageHead, StickyAction } from '#web/ui/page-head.tsx'
import { diskUsage } from './capacity.tsx'
import { t } from './messages.ts'
import { serverColumns } from './server-columns.tsx'
import { namedServers, presentCount, presentServers, serverDisks, worstServers } from './servers-early-reads.ts'
import { ServersOff } from './servers-off.tsx'
import { useSecurityUpdates } from './use-security-updates.ts'

/** The fullest disk among the servers the user can read. */
function useFullest(privileged: boolean): {
  fullest: { server: string; fraction: number } | null | undefined
  failed: boolean
} {
  const servers = useSmallList(privileged ? 'Server' : null, serverDisks)
  if (!servers.data) return { fullest: undefined, failed: servers.error !== null }
  const measured = servers.data.flatMap((server) => {
    const fraction = diskUsage(server)
    return fraction === null ? [] : [{ server: server.hostname, fraction }]
  })
  return { fullest: measured.toSorted((a, b) => b.fraction - a.fraction)[0] ?? null, failed: false }
}

const list = new Intl.ListFormat(locale, { style: 'short', type: 'unit' })

/** Degraded servers still serve their sites. */
function worstTone(status: string | null | undefined): 'none' | 'warn' | 'bad' {
  if (status === undefined || status === null) return 'none'
  return status === 'Degraded' ? 'warn' : 'bad'
}

function useSummary(privileged: boolean, total: number | undefined): { items: SummaryCard[]; failed: boolean } {
  const badRead = useServerProblems()
  const badCount = badRead.attention
  const disks = useFullest(privileged)
  const { fullest } = disks
  const patches = useSecurityUpdates(privileged, presentServers)
  const sitesRead = useCount(privileged ? null : 'Site', { filters: sitesInUse })
  const sites = sitesRead.data
  // Not only once the count is known: it would be a call of its own then.
  const worst = useSmallList('Server', worstServers).data
  const bad = badCount ? worst?.map(({ hostname }) => hostname) : undefined
  const nearlyFull = fullest && meterTone(fullest.fraction) !== 'quiet' ? fullest : null
  const items: SummaryCard[] = [
    {
      label: t('servers.health_q'),
      value:
        badCount === undefined
          ? null
          : badCount > 0
            ? t('servers.health_bad', { count: badCount })
            : total === 0
              ? t('servers.none')
              : t('servers.health_none'),
      tone: badCount ? worstTone(worst?.[0]?.status) : total === 0 ? 'none' : 'ok',
      href: badCount ? listHref('/server', unhealthy) : undefined,
      detail: bad && list.format(bad.length > namedServers ? [...bad.slice(0, namedServers), '…'] : bad),
    },
    ...(privileged
      ? [
          {
            label: t('servers.full_q'),
            value:
              fullest === undefined
                ? null
                : nearlyFull
                  ? t('servers.full', { server: nearlyFull.server, percent: formatPercent(nearlyFull.fraction * 100) })
                  : fullest === null
                    ? t('servers.full_unknown')
                    : t('servers.full_none'),
            tone: nearlyFull
              ? meterTone(nearlyFull.fraction) === 'bad'
                ? ('bad' as const)
                : ('warn' as const)
              : fullest === null
                ? ('none' as const)
                : ('ok' as const),
            detail:
              fullest && !nearlyFull
                ? t('servers.fullest', { server: fullest.server, percent: formatPercent(fullest.fraction * 100) })
                : undefined,
          },
          patches.item,
        ]
      : // Members can't read how full and how current servers are.
        [
          {
            label: t('servers.sites_q'),
            value: sites === undefined ? null : t('servers.sites', { count: sites }),
            href: '/site',
          },
        ]),
  ]
  return { items, failed: disks.failed || patches.failed || Boolean(badRead.error ?? sitesRead.error) }
}

/** Links to the page that creates a server. */
function CreateServerButton({ className, plain }: { className?: string; plain?: boolean }) {
  return (
    <CreateButton to="/server/create" className={className} plain={plain}>
      <Plus size={16} strokeWidth={1.75} aria-hidden="true" />
      {t('servers.create')}
    </CreateButton>
  )
}

/** All servers of the organization that the user can see. */
export function ServersPage() {
  return useSession().modules.ee ? <ServerList /> : <ServersOff />
}

function ServerList() {
  const session = useSession()
  const { privileged } = sessionRoles(session)
  const canCreate = canCreateServers(session)
  const { counts: sites } = useSiteCounts()
  const columns = useMemo(() => serverColumns(privileged, sites), [privileged, sites])
  const views: ListView[] = useMemo(
    () => [
      { key: 'all', label: t('servers.all'), filters: ServerDoctype.list?.filters ?? [] },
      { key: 'favorites', label: t('servers.favorites'), filters: [...presentServers, ['favorite', '=', 1]] },
      {
        key: 'production',
        label: t('servers.production'),
        filters: [...presentServers, ['server_category', '=', 'production']],
      },
      {
        key: 'development',
        label: t('servers.development'),
        filters: [...presentServers, ['server_category', '=', 'development']],
      },
      { key: 'attention', label: t('servers.attention'), filters: unhealthy },
      { key: 'decommissioned', label: t('servers.decommissioned'), filters: [['status', '=', 'Decommissioned']] },
    ],
    [],
  )
  const { subscription } = session
  const limit = subscription?.limits.server ?? 0
  const isNudged = canCreate && subscription !== null && nearLimit(subscription.usage.server, limit)
  const counted = presentCount(session, privileged)
  const isLimited = counted.exact
  const total = useCount('Server', counted).data
  const summary = useSummary(privileged, total)
  const subtitle =
    total === undefined
      ? null
      : isLimited && !isNudged
        ? t('servers.subtitle_plan', { count: total, limit })
        : t('servers.subtitle', { count: total })
  return (
    <>
      <PageHead title={t('servers.title')} subtitle={subtitle}>
        {canCreate ? <CreateServerButton className="max-md:hidden" /> : null}
      </PageHead>
      {/* It says how many of the plan's are used, so the title does not. */}
      {isNudged ? <PlanNudge resource="server" /> : null}
      {/* As on the list of sites, phones need the space for the list. */}
      <div className="max-md:hidden">
        <SummaryCards slim {...summary} />
      </div>
      <DocumentList
        type={ServerDoctype}
        columns={columns}
        views={views}
        errorTitle={t('servers.error_title')}
        // Members have no server pages (docs/contracts/screens.md, section 2, rule 8).
        href={(row) => (privileged ? `/server/${encodeURIComponent(row.name)}` : null)}
        empty={
          <EmptyState
            icon={<ServerIcon size={20} strokeWidth={1.75} />}
            title={t('servers.empty_title')}
            // On phones it is at the lower edge.
            action={canCreate ? <CreateServerButton plain className="max-md:hidden" /> : undefined}
          >
            {t(canCreate ? 'servers.empty_create' : 'servers.empty')}
          </EmptyState>
        }
      />
      {canCreate ? (
        <StickyAction>
          <PlanNudge low resource="server" />
          <CreateServerButton />
        </StickyAction>
      ) : null}
    </>
  )
}
