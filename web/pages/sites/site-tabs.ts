import { lazy, type ComponentType } from 'react'
import type { Site } from '#shared/doctypes/site.ts'
import { t } from './messages.ts'
import { SiteActivitiesTab } from './site-activities-tab.tsx'

/** A tab of a site's page besides the overview, which is always first. */
export interface SiteTab {
  /** Its hash. */
  readonly id: string
  readonly label: () => string
  /** Whether it is shown. `actions`: names of the actions that the user sees on this site. */
  readonly shown: (site: Site, actions: ReadonlySet<string>) => boolean
  readonly Panel: ComponentType<{ site: Site }>
}

const WordPressTab = lazy(() =>
  import('./wordpress/wordpress-tab.tsx').then((module) => ({ default: module.WordPressTab })),
)
const Logs = lazy(() => import('./logs/logs-tab.tsx').then((module) => ({ default: module.LogsTab })))
const Files = lazy(() => import('./files/files-tab.tsx').then((module) => ({ default: module.SiteFilesTab })))

/** States in which a site has its files where they can be seen. */
const hasFiles = new Set<Site['status']>(['Live', 'Updating', 'Failed', 'Suspended'])

const Configurations = lazy(() =>
  import('./configurations/configurations-tab.tsx').then((module) => ({ default: module.ConfigurationsTab })),
)

/** What the tab offers: whoever sees none of these actions does not see it. */
const configurationActions = [
  'maintenance',
  'set_http_auth',
  'set_php_version',
  'set_owner',
  'archive',
  'suspend',
  'resume',
]

const Staging = lazy(() => import('./staging/staging-tab.tsx').then((module) => ({ default: module.StagingTab })))

const MonitoringTab = lazy(() =>
  import('./monitoring/monitoring-tab.tsx').then((module) => ({ default: module.MonitoringTab })),
)

const Database = lazy(() => import('./database/database-tab.tsx').then((module) => ({ default: module.DatabaseTab })))

const Backups = lazy(() => import('./backups/backups-tab.tsx').then((module) => ({ default: module.BackupsTab })))

/** Hashes that open a tab besides its own. */
export const otherHashes = { backupandrestore: 'backups' }

/** In the order shown. Hash names and order are in docs/contracts/screens.md. */
export const siteTabs: readonly SiteTab[] = [
  {
    id: 'configurations',
    label: () => t('site.configurations'),
    shown: (_site, actions) => configurationActions.some((name) => actions.has(name)),
    Panel: Configurations,
  },
  { id: 'backupandrestore', label: () => t('site.backups'), shown: () => true, Panel: Backups },
  {
    id: 'monitoring',
    label: () => t('site.monitoring'),
    shown: (_site, actions) => actions.has('uptime'),
    Panel: MonitoringTab,
  },
  { id: 'activities', label: () => t('site.activities'), shown: () => true, Panel: SiteActivitiesTab },
  {
    id: 'wordpress',
    label: () => 'WordPress',
    shown: (site, actions) => site.site_type === 'wp' && actions.has('wordpress_facts'),
    Panel: WordPressTab,
  },
  { id: 'logs', label: () => t('site.logs'), shown: (_site, actions) => actions.has('read_log'), Panel: Logs },
  {
    id: 'files',
    label: () => t('site.files'),
    shown: ({ status }, actions) => hasFiles.has(status) && actions.has('list_files'),
    Panel: Files,
  },
  {
    id: 'database',
    label: () => t('site.database'),
    shown: ({ site_type }, actions) => site_type === 'wp' && actions.has('database_tables'),
    Panel: Database,
  },
  {
    id: 'staging',
    label: () => t('site.staging'),
    shown: ({ status }, actions) => hasFiles.has(status) && actions.has('push_plan'),
    Panel: Staging,
  },
]
