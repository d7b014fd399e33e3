import { DenialReason } from '#web/documents/errors/denial-reason.tsx'
import { lazy } from 'react'
import type { FilterTriple } from '#shared/doctype.ts'
import type { ConnectionName } from '#shared/doctypes/connections.ts'
import type { Organization } from '#shared/doctypes/organization.ts'
import { Activities } from '#web/documents/activity/activities.ts'
import { organizationTabs as tabs } from '#web/lib/routing/page-tabs.ts'
import { useHashTab } from '#web/lib/routing/use-hash-tab.ts'
import { useDoc } from '#web/lib/api/frappe.tsx'
import { useSession } from '#web/lib/session/session.tsx'
import { EmptyState } from '#web/ui/empty-state.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { PageHead } from '#web/ui/page-head.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { StatusIcon } from '#web/ui/status.tsx'
import { StillLoading } from '#web/ui/still-loading.tsx'
import { TabPanel, Tabs } from '#web/ui/tabs.tsx'
import { cloudConnections, hasConnectionProblem, useConnections, type ListedConnection } from './connections.ts'
import { t } from './messages.ts'
import { OverviewTab } from './overview-tab.tsx'

const CloudTab = lazy(() => import('./cloud-tab.tsx').then((module) => ({ default: module.CloudTab })))
const BackupTab = lazy(() => import('./connection-tabs.tsx').then((module) => ({ default: module.BackupTab })))
const SlackTab = lazy(() => import('./connection-tabs.tsx').then((module) => ({ default: module.SlackTab })))
const GithubTab = lazy(() => import('./connection-tabs.tsx').then((module) => ({ default: module.GithubTab })))
const AuthTab = lazy(() => import('./auth/auth-tab.tsx').then((module) => ({ default: module.AuthTab })))
const SshTab = lazy(() => import('./ssh-tab.tsx').then((module) => ({ default: module.SshTab })))

type TabId = (typeof tabs)[number]

/** Services whose problems are shown on a tab's name. */
const servicesOf: Partial<Record<TabId, readonly ConnectionName[]>> = {
  slack: ['slack'],
  github: ['github'],
  cloud_providers: cloudConnections,
  backup_providers: ['bucket'],
}

/** Settings of the current organization, for its admins (rule 9). */
export function OrganizationPage() {
  const { organization: current } = useSession()
  const [tab, openTab] = useHashTab(tabs)
  const { data, error, isSlow, reload } = useDoc('Organization', current?.name)
  // Platform admins who aren't admins here get neither the connections nor these fields.
  const keys = current?.owner === true || current?.role === 'Organization Admin'
  const connections = useConnections(keys).data
  if (error && !data) {
    return (
      <>
        <PageHead title={t('organization.title')} />
        <ErrorPanel title={t('organization.error_title')} error={error} onRetry={() => reload()}>
          <DenialReason error={error} doctype="Organization" name={current?.name ?? ''} />
        </ErrorPanel>
      </>
    )
  }
  return (
    <>
      <PageHead title={t('organization.title')} />
      <Tabs
        label={t('organization.tabs')}
        tabs={tabs.map((id) => ({ id, label: <TabLabel id={id} connections={connections ?? []} /> }))}
        current={tab}
        onChange={(id) => openTab(tabs.find((known) => known === id) ?? tabs[0])}
      />
      <StillLoading slow={isSlow} />
      <TabPanel id={tab}>
        {data ? (
          <Tab id={tab} organization={data} keys={keys} isOwner={current?.owner === true} />
        ) : (
          <Skeleton className="h-64 w-full rounded-card" />
        )}
      </TabPanel>
    </>
  )
}

/** Of the whole organization, its sites and servers included. A copy is one row: the activity of its source tells it, too. */
function activitiesOf(organization: string): FilterTriple[] {
  return [
    ['organization', '=', organization],
    ['action', '!=', 'site.clone'],
  ]
}

function TabLabel({ id, connections }: { id: TabId; connections: readonly ListedConnection[] }) {
  const label = t(`organization.${id}`)
  if (!hasConnectionProblem(connections, servicesOf[id] ?? [])) return label
  return (
    <>
      {label}
      <StatusIcon tone="bad" size={12} />
      <span className="sr-only">{t('organization.tab_bad')}</span>
    </>
  )
}

function Tab({
  id,
  organization,
  keys,
  isOwner,
}: {
  id: TabId
  organization: Organization
  keys: boolean
  isOwner: boolean
}) {
  if (id === 'overview') return <OverviewTab organization={organization} keys={keys} />
  if (id === 'activities') return <Activities filters={activitiesOf(organization.name)} />
  if (!keys) {
    return (
      <EmptyState title={t('organization.only_admins')}>
        <p>{t('organization.only_admins_hint')}</p>
      </EmptyState>
    )
  }
  if (id === 'slack') return <SlackTab organization={organization} />
  if (id === 'github') return <GithubTab organization={organization} />
  if (id === 'cloud_providers') return <CloudTab organization={organization} wpc={organization.module_wpc === 1} />
  if (id === 'backup_providers') return <BackupTab organization={organization} />
  if (id === 'auth') return <AuthTab organization={organization} isOwner={isOwner} />
  return <SshTab organization={organization} />
}
