import { DenialReason } from '#web/documents/errors/denial-reason.tsx'
import { RefreshCw } from 'lucide-react'
import { lazy } from 'react'
import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import { ActionButton } from '#web/documents/actions/action-button.tsx'
import { Activities } from '#web/documents/activity/activities.ts'
import { DocStatus } from '#web/documents/values/cells.tsx'
import { FavoriteButton } from '#web/documents/values/favorite.tsx'
import { valueLabel } from '#web/documents/query/list-query.ts'
import { useHashTab } from '#web/lib/routing/use-hash-tab.ts'
import { useDoc } from '#web/lib/api/frappe.tsx'
import { usePathParams } from '#web/lib/routing/route-match.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { useFailureToast } from '#web/lib/api/use-failure-toast.ts'
import { useTitle } from '#web/lib/routing/use-title.ts'
import { ButtonLink } from '#web/ui/button.tsx'
import { CopyButton } from '#web/ui/copy-button.tsx'
import { EmptyState } from '#web/ui/empty-state.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { StillLoading } from '#web/ui/still-loading.tsx'
import { TabPanel, Tabs } from '#web/ui/tabs.tsx'
import { LocalizedText } from '#web/lib/i18n/localized-text.tsx'
import { statusLabel } from '#web/documents/values/status-tones.ts'
import { ProblemTimes } from '#web/documents/values/problem.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { t } from './messages.ts'
import { hasProblem, serverProblem } from './server-problem.ts'
import { ServerOverviewTab } from './server-overview-tab.tsx'
import { ServersOff } from './servers-off.tsx'

const Graphs = lazy(() => import('./graphs/graphs-tab.tsx').then((module) => ({ default: module.GraphsTab })))

const tabs = ['overview', 'graphs', 'activities'] as const

/** A server's page: the machine, its capacity, its sites. */
export function ServerPage() {
  return useSession().modules.ee ? <OneServer /> : <ServersOff />
}

function OneServer() {
  const name = usePathParams()['server'] ?? ''
  const { data: server, error, isSlow, reload } = useDoc('Server', name)
  const [tab, openTab] = useHashTab(tabs)
  useTitle(server ? server.hostname : null)
  // A missing server isn't a load error; the page shows it.
  useFailureToast(t('server.error_title'), error?.httpStatus === 404 ? null : error)
  if (error?.httpStatus === 404) {
    return (
      <EmptyState
        page
        title={t('server.missing_title')}
        action={<ButtonLink to="/server">{t('server.back')}</ButtonLink>}
      >
        {t('server.missing')}
      </EmptyState>
    )
  }
  if (error && !server)
    return (
      <ErrorPanel page title={t('server.error_title')} error={error} onRetry={() => reload()}>
        <DenialReason error={error} doctype="Server" name={name} />
      </ErrorPanel>
    )
  if (!server)
    return (
      <>
        <StillLoading slow={isSlow} />
        <ServerSkeleton />
      </>
    )
  return (
    <>
      <ServerHead server={server} />
      {hasProblem(server) ? <ProblemNotice server={server} /> : null}
      <Tabs
        label={t('server.tabs')}
        tabs={tabs.map((id) => ({ id, label: t(`server.${id}`) }))}
        current={tab}
        onChange={(id) => openTab(tabs.find((known) => known === id) ?? 'overview')}
      />
      <TabPanel id={tab}>
        {tab === 'activities' ? (
          <Activities doctype="Server" name={server.name} />
        ) : tab === 'graphs' ? (
          <Graphs server={server} />
        ) : (
          <ServerOverviewTab server={server} />
        )}
      </TabPanel>
    </>
  )
}

/** Why the server needs attention, for those who can read it. */
function ProblemNotice({ server }: { server: Server }) {
  const { reason, ...times } = serverProblem(server)
  if (reason === undefined) return null
  return (
    <Notice
      tone={server.status === 'Degraded' ? 'warn' : 'bad'}
      title={t('server.problem_title', { status: statusLabel('Server', 'status', server.status ?? '') })}
      className="mb-4"
    >
      <p className="mt-0.5">
        {reason === null ? t('server.no_reason') : <LocalizedText text={reason} i18n={server.failure_reason_i18n} />}
      </p>
      <ProblemTimes {...times} />
    </Notice>
  )
}

/** Without tabs: their position depends on the server's text, which may take one or two lines. */
function ServerSkeleton() {
  return (
    <div aria-hidden="true" className="grid gap-3">
      <Skeleton className="h-14 w-72 max-w-full rounded-card" />
      <Skeleton className="h-9 w-full rounded-card md:hidden" />
      <Skeleton className="h-9 w-60" />
      <Skeleton className="h-24 w-full rounded-card" />
    </div>
  )
}

function ServerHead({ server }: { server: Server }) {
  return (
    <div className="mb-3 flex flex-wrap items-center gap-x-5 gap-y-3">
      <div className="min-w-0 flex-1 basis-80">
        <div className="flex items-center gap-1.5">
          <h1 tabIndex={-1} className="min-w-0 wrap-anywhere">
            {server.hostname}
          </h1>
          <CopyButton value={server.hostname} label={t('server.copy_name')} />
          <FavoriteButton type={ServerDoctype} name={server.name} title={server.hostname} value={server.favorite} />
        </div>
        <div className="mt-1 flex min-h-6 flex-wrap items-center gap-x-3.5 gap-y-1.5 text-table text-muted">
          <DocStatus
            inset={server.status !== 'Healthy'}
            doctype="Server"
            value={server.status ?? 'Provisioning'}
            job={server.locked_by_job}
          />
          {server.engine === 'local' ? <span>{t('server.this_machine')}</span> : null}
          {server.server_category ? (
            <span>{valueLabel(ServerDoctype, 'server_category', server.server_category)}</span>
          ) : null}
          {server.os ? <span>{server.os}</span> : null}
        </div>
      </div>
      <ActionButton
        type={ServerDoctype}
        doc={{ ...server, doctype: 'Server' }}
        name="refresh_facts"
        label={t('server.measure')}
        icon={<RefreshCw size={16} strokeWidth={1.75} aria-hidden="true" className="text-muted" />}
      />
      {server.engine === 'local' || server.public_ipv4 === null ? null : (
        <ActionButton type={ServerDoctype} doc={{ ...server, doctype: 'Server' }} name="confirm_host_key" />
      )}
      <ActionButton type={ServerDoctype} doc={{ ...server, doctype: 'Server' }} name="decommission" />
    </div>
  )
}
