import { lazy } from 'react'
import { platformTabs as tabs } from '#web/lib/routing/page-tabs.ts'
import { useHashTab } from '#web/lib/routing/use-hash-tab.ts'
import { PageHead } from '#web/ui/page-head.tsx'
import { TabPanel, Tabs } from '#web/ui/tabs.tsx'
import { OrganizationsTab } from './organizations-tab.tsx'
import { t } from './messages.ts'

const HealthTab = lazy(() => import('./health-tab.tsx').then((module) => ({ default: module.HealthTab })))
const JobsTab = lazy(() => import('./jobs-tab.tsx').then((module) => ({ default: module.JobsTab })))
const OutboxTab = lazy(() => import('./outbox-tab.tsx').then((module) => ({ default: module.OutboxTab })))
const PlansTab = lazy(() => import('./plans-tab.tsx').then((module) => ({ default: module.PlansTab })))
const UsersTab = lazy(() => import('./users-tab.tsx').then((module) => ({ default: module.UsersTab })))

const panels = {
  organizations: OrganizationsTab,
  users: UsersTab,
  plans: PlansTab,
  outbox: OutboxTab,
  jobs: JobsTab,
  health: HealthTab,
} as const

/** The platform admin's page; it doesn't exist for other users. */
export function PlatformPage() {
  const [tab, openTab] = useHashTab(tabs)
  const Panel = panels[tab]
  return (
    <>
      <PageHead title={t('platform.title')} subtitle={t('platform.subtitle')} />
      <Tabs
        label={t('platform.tabs')}
        tabs={tabs.map((id) => ({ id, label: t(`platform.${id}`) }))}
        current={tab}
        onChange={(id) => openTab(tabs.find((known) => known === id) ?? tabs[0])}
      />
      <TabPanel id={tab}>
        <Panel />
      </TabPanel>
    </>
  )
}
