import { ExternalLink } from 'lucide-react'
import type { ReactNode } from 'react'
import { WpcSiteDoctype, type WpcSite } from '#shared/doctypes/wpc-site.ts'
import { ActionMenu } from '#web/documents/actions/action-menu.tsx'
import { useActions, useLivePermissions } from '#web/documents/actions/use-actions.ts'
import { Activities } from '#web/documents/activity/activities.ts'
import { DenialReason } from '#web/documents/errors/denial-reason.tsx'
import { DocStatus } from '#web/documents/values/cells.tsx'
import { useDoc } from '#web/lib/api/frappe.tsx'
import { useListEvents } from '#web/lib/events/use-events.ts'
import { localizedText } from '#web/lib/i18n/localized-text.tsx'
import { useHashTab } from '#web/lib/routing/use-hash-tab.ts'
import { useTitle } from '#web/lib/routing/use-title.ts'
import { buttonStyle } from '#web/ui/button.tsx'
import { CopyButton } from '#web/ui/copy-button.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { ScreenSpinner } from '#web/ui/screen-spinner.tsx'
import { TabPanel, Tabs } from '#web/ui/tabs.tsx'
import { ShareWpcButton } from '../share-button.tsx'
import { t } from './messages.ts'
import { WpcBackupsTab } from './wpc-backups-tab.tsx'
import { WpcConfigurationsTab } from './wpc-configurations-tab.tsx'
import { WpcMonitoringTab } from './wpc-monitoring-tab.tsx'
import { WpcOverviewTab } from './wpc-overview-tab.tsx'
import { WpcSshTab } from './wpc-ssh-tab.tsx'

/** In the order of docs/contracts/screens.md. */
const moreTabs = ['configurations', 'backups', 'ssh', 'monitoring', 'activities'] as const

/** What the tab of settings offers: whoever sees none of these actions does not see it. */
const configurationActions = ['set_domain', 'set_php_version', 'delete_permanently']

/** The page of a site at WP Cloud. `missing`: shown if there is none of this name. */
export function WpcSitePage({ name, missing }: { name: string; missing: ReactNode }) {
  const { data: site, error, reload } = useDoc('WPC Site', name)
  // Its deletion is sent to the list's room, not to its own.
  useListEvents('WPC Site', () => void reload())
  useLivePermissions('WPC Site', name)
  const doc = site ? { ...site, doctype: 'WPC Site' } : null
  const actions = new Set(useActions(WpcSiteDoctype, doc).map((one) => one.name))
  const isShown: Readonly<Partial<Record<string, boolean>>> = {
    configurations: configurationActions.some((one) => actions.has(one)),
    ssh: actions.has('list_ssh_users'),
    monitoring: actions.has('get_metrics'),
  }
  const shown = ['overview', ...moreTabs.filter((id) => isShown[id] !== false)] as const
  const [tab, openTab] = useHashTab(shown)
  useTitle(site && !error ? site.domain : null)
  if (error?.httpStatus === 404) return missing
  if (error && !site)
    return (
      <ErrorPanel page title={t('list.error')} error={error} onRetry={() => reload()}>
        <DenialReason error={error} doctype="WPC Site" name={name} />
      </ErrorPanel>
    )
  if (!site) return <ScreenSpinner />
  return (
    <>
      <WpcSiteHead site={site} />
      <Problem site={site} />
      <Tabs
        label={t('site.tabs')}
        tabs={shown.map((id) => ({ id, label: t(`site.${id}`) }))}
        current={tab}
        onChange={(id) => openTab(moreTabs.find((known) => known === id) ?? 'overview')}
      />
      <TabPanel id={tab}>
        {tab === 'configurations' ? (
          <WpcConfigurationsTab site={site} />
        ) : tab === 'backups' ? (
          <WpcBackupsTab site={site} />
        ) : tab === 'ssh' ? (
          <WpcSshTab site={site} />
        ) : tab === 'monitoring' ? (
          <WpcMonitoringTab site={site} />
        ) : tab === 'activities' ? (
          <Activities doctype="WPC Site" name={site.name} />
        ) : (
          <WpcOverviewTab site={site} />
        )}
      </TabPanel>
    </>
  )
}

function WpcSiteHead({ site }: { site: WpcSite }) {
  const address = `https://${site.domain}`
  const isLive = site.status === 'Live'
  return (
    <div className="mb-3 flex flex-wrap items-center gap-x-5 gap-y-3">
      <div className="min-w-0 flex-1 basis-80">
        <div className="flex items-center gap-1.5">
          <h1 tabIndex={-1} className="min-w-0 wrap-anywhere">
            {site.domain}
          </h1>
          <CopyButton value={address} label={t('site.copy_address')} />
        </div>
        <div className="mt-1 flex min-h-6 flex-wrap items-center gap-x-3.5 gap-y-1.5 text-table text-muted">
          <DocStatus inset={!isLive} doctype="WPC Site" value={site.status ?? 'Setting Up'} job={site.locked_by_job} />
          <span>{t('list.title')}</span>
          {site.wordpress_version ? <span>WordPress {site.wordpress_version}</span> : null}
          {site.php_version ? <span>PHP {site.php_version}</span> : null}
        </div>
      </div>
      <div className="flex items-center gap-2 max-md:w-full max-md:flex-wrap">
        {isLive ? (
          <>
            <OutLink to={address}>{t('site.visit')}</OutLink>
            <OutLink to={`${address}/wp-admin/`}>{t('site.admin')}</OutLink>
          </>
        ) : null}
        <ShareWpcButton site={site} />
        <ActionMenu type={WpcSiteDoctype} doc={{ ...site, doctype: 'WPC Site' }} />
      </div>
    </div>
  )
}

function OutLink({ to, children }: { to: string; children: string }) {
  return (
    <a href={to} target="_blank" rel="noopener" className={buttonStyle({ variant: 'default' })}>
      <ExternalLink size={16} strokeWidth={1.75} aria-hidden="true" className="text-muted max-md:hidden" />
      {children}
    </a>
  )
}

function Problem({ site }: { site: WpcSite }) {
  if (site.status !== 'Failed') return null
  const reason = site.failure_reason ? localizedText(site.failure_reason, site.failure_reason_i18n) : null
  return (
    <Notice tone="bad" title={t('site.failed')} className="mb-4">
      <p lang={reason?.lang}>{reason?.text ?? t('site.no_reason')}</p>
    </Notice>
  )
}
