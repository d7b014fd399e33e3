import { DenialReason } from '#web/documents/errors/denial-reason.tsx'
import { Plus, RefreshCw } from 'lucide-react'
import { lazy } from 'react'
import { useLocation } from 'react-router'
import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import { ActionButton } from '#web/documents/actions/action-button.tsx'
import { ActionMenu } from '#web/documents/actions/action-menu.tsx'
import { Activities } from '#web/documents/activity/activities.ts'
import { jobLabel } from '#web/documents/jobs/job-label.ts'
import { jobSearch } from '#web/documents/jobs/job-link.ts'
import { CreateButton } from '#web/documents/form/create-button.tsx'
import { DocStatus } from '#web/documents/values/cells.tsx'
import { FavoriteButton } from '#web/documents/values/favorite.tsx'
import { valueLabel } from '#web/documents/query/list-query.ts'
import { useHashTab, useHiddenTab } from '#web/lib/routing/use-hash-tab.ts'
import { useDoc, useSmallList } from '#web/lib/api/frappe.tsx'
import { Link } from '#web/lib/routing/router.tsx'
import { usePathParams } from '#web/lib/routing/route-match.ts'
import { sessionRoles, useSession } from '#web/lib/session/session.tsx'
import { useFailureToast } from '#web/lib/api/use-failure-toast.ts'
import { useTitle } from '#web/lib/routing/use-title.ts'
import { ButtonLink } from '#web/ui/button.tsx'
import { CopyButton } from '#web/ui/copy-button.tsx'
import { EmptyState } from '#web/ui/empty-state.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { HiddenTabNotice } from '#web/ui/hidden-tab-notice.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { StillLoading } from '#web/ui/still-loading.tsx'
import { TabPanel, Tabs } from '#web/ui/tabs.tsx'
import { serverLocation } from '#web/features/servers/server-location.tsx'
import { t } from './messages.ts'
import { ServerMark } from './server-mark.tsx'
import { ServerOverviewTab } from './server-overview-tab.tsx'
import { ServerStatePanel } from './server-state-panel.tsx'
import { ServersOff } from './servers-off.tsx'

const Graphs = lazy(() => import('./graphs/graphs-tab.tsx').then((module) => ({ default: module.GraphsTab })))

const Configurations = lazy(() =>
  import('./configurations/configurations-tab.tsx').then((module) => ({ default: module.ConfigurationsTab })),
)
const Ssh = lazy(() => import('./ssh/ssh-tab.tsx').then((module) => ({ default: module.SshTab })))

const Monitoring = lazy(() =>
  import('./monitoring/monitoring-tab.tsx').then((module) => ({ default: module.MonitoringTab })),
)

// In the order shown. Hash names and order are in docs/contracts/screens.md.
const moreTabs = ['graphs', 'configurations', 'ssh', 'monitoring', 'activities'] as const

/** Easydash does not sign in to the machine it runs on. */
const bySsh: readonly string[] = ['ssh']

/** The tabs of a server. */
const tabsOf = ({ engine }: Partial<Server>) =>
  ['overview', ...moreTabs.filter((id) => engine !== 'local' || !bySsh.includes(id))] as const

/** A server's page: the machine, its capacity, its sites. */
export function ServerPage() {
  return useSession().modules.ee ? <OneServer /> : <ServersOff />
}

function OneServer() {
  const name = usePathParams()['server'] ?? ''
  const { data: server, error, isSlow, reload } = useDoc('Server', name)
  const [tab, openTab] = useHashTab(tabsOf(server ?? {}))
  const hidden = useHiddenTab(moreTabs, tabsOf(server ?? {}))
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
      <ServerStatePanel server={server} />
      <Tabs
        label={t('server.tabs')}
        tabs={tabsOf(server).map((id) => ({ id, label: t(`server.${id}`) }))}
        current={tab}
        onChange={(id) => openTab(moreTabs.find((known) => known === id) ?? 'overview')}
      />
      {hidden === null ? null : <HiddenTabNotice tab={t(`server.${hidden}`)} reason={t('server.no_ssh')} />}
      <TabPanel id={tab}>
        {tab === 'activities' ? (
          <Activities doctype="Server" name={server.name} />
        ) : tab === 'graphs' ? (
          <Graphs server={server} />
        ) : tab === 'configurations' ? (
          <Configurations server={server} />
        ) : tab === 'ssh' ? (
          <Ssh server={server} />
        ) : tab === 'monitoring' ? (
          <Monitoring server={server} />
        ) : (
          <ServerOverviewTab server={server} />
        )}
      </TabPanel>
    </>
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
  const doc = { ...server, doctype: 'Server' }
  // As the form that creates sites lists servers.
  const isOpen = !sessionRoles(useSession()).member || server.server_category === 'development'
  const takesSites = isOpen && server.status === 'Healthy' && !server.locked_by_job
  return (
    <div className="mb-3 flex flex-wrap items-center gap-x-5 gap-y-3">
      <div className="flex min-w-0 flex-1 basis-80 items-center gap-4">
        <ServerMark provider={server.cloud_provider} className="size-10 rounded-card max-md:hidden" />
        <div className="min-w-0 flex-1">
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
            {server.locked_by_job ? <BusyLink job={server.locked_by_job} /> : null}
            {server.engine === 'local' ? <span>{t('server.this_machine')}</span> : null}
            {server.server_category ? (
              <span>{valueLabel(ServerDoctype, 'server_category', server.server_category)}</span>
            ) : null}
            {server.engine === 'local' ? null : serverLocation(server)}
            {server.os ? <span>{server.os}</span> : null}
          </div>
        </div>
      </div>
      <div className="flex items-start gap-2 max-md:w-full max-md:flex-wrap">
        <ActionButton
          type={ServerDoctype}
          doc={doc}
          name="refresh_facts"
          label={t('server.measure')}
          icon={<RefreshCw size={16} strokeWidth={1.75} aria-hidden="true" className="text-muted" />}
        />
        {server.engine !== 'local' && server.public_ipv4 ? (
          <ActionButton type={ServerDoctype} doc={doc} name="confirm_host_key" />
        ) : null}
        {takesSites ? (
          <CreateButton
            to="/site/create"
            search={`?server=${encodeURIComponent(server.name)}`}
            className="max-md:flex-1"
          >
            <Plus size={16} strokeWidth={1.75} aria-hidden="true" />
            {t('server.create_site')}
          </CreateButton>
        ) : null}
        <ActionMenu type={ServerDoctype} doc={doc} except={['refresh_facts']} />
      </div>
    </div>
  )
}

/** The job that holds the server, which nothing else can change meanwhile. */
function BusyLink({ job }: { job: string }) {
  const { search, hash } = useLocation()
  const jobs = useSmallList('Job', {
    fields: ['label', 'reference_title'],
    filters: [['name', '=', job]],
    limit: 1,
  })
  const [found] = jobs.data ?? []
  if (!found) return null
  return (
    <Link to={{ search: jobSearch(search, job), hash }} className="link">
      {t('server.busy', { job: jobLabel(found) })}
    </Link>
  )
}
