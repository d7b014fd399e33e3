import { ExternalLink, LogIn } from 'lucide-react'
import { lazy, useState } from 'react'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { siteName } from '#shared/rules/display-name.ts'
import { ActionMenu } from '#web/documents/actions/action-menu.tsx'
import { DocStatus } from '#web/documents/values/cells.tsx'
import { FavoriteButton } from '#web/documents/values/favorite.tsx'
import { useOpenAdmin } from '#web/features/sites/open-admin.ts'
import { useShortcuts } from '#web/lib/browser/use-shortcuts.ts'
import { useActions, useLivePermissions, useRightsPending } from '#web/documents/actions/use-actions.ts'
import { useHashTab } from '#web/lib/routing/use-hash-tab.ts'
import { useDoc, useList } from '#web/lib/api/frappe.tsx'
import { usePathParams } from '#web/lib/routing/route-match.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { useListEvents } from '#web/lib/events/use-events.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { useTitle } from '#web/lib/routing/use-title.ts'
import { Button, buttonStyle } from '#web/ui/button.tsx'
import { Tag } from '#web/ui/chip.tsx'
import { CopyButton } from '#web/ui/copy-button.tsx'
import { Kbd } from '#web/ui/kbd.tsx'
import { MenuItem } from '#web/ui/overlay/menu.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { StillLoading } from '#web/ui/still-loading.tsx'
import { Thumbnail } from '#web/features/sites/thumbnail.tsx'
import { TabPanel, Tabs } from '#web/ui/tabs.tsx'
import { StagingBadge } from './copies/staging-badge.tsx'
import { useClone } from './copies/use-clone.tsx'
import { HiddenSiteTab } from './hidden-site-tab.tsx'
import { t } from './messages.ts'
import { ShareButton } from './share-button.tsx'
import { SiteNotFound } from './site-not-found.tsx'
import { SiteOverviewTab } from './site-overview-tab.tsx'
import { versionTexts } from './site-summary.ts'
import { otherHashes, siteTabs } from './site-tabs.ts'
import { isUnpacked } from './storage-details.ts'
import { useRefreshScreenshot } from './use-refresh-screenshot.ts'

const WpcSitePage = lazy(() =>
  import('./wp-cloud/wpc-site-page.tsx').then((module) => ({ default: module.WpcSitePage })),
)

/** A site's page: status and details, with its admin one click away. */
export function SitePage() {
  const name = usePathParams()['site'] ?? ''
  const { wpc } = useSession().modules
  const { data: site, error, isSlow, reload } = useDoc('Site', name)
  // Deletion of a site is sent to the list's room, not to its own.
  useListEvents('Site', () => void reload())
  useLivePermissions('Site', name)
  const servers = useList(site ? 'Server' : null, {
    fields: ['name', 'hostname'],
    filters: [['name', '=', site?.server ?? '']],
    limit: 1,
  })
  const server = servers.data && (servers.data[0]?.hostname ?? null)
  const doc = site ? { ...site, doctype: 'Site' } : null
  const actions = new Set(useActions(SiteDoctype, doc).map((one) => one.name))
  const isPending = useRightsPending(SiteDoctype, doc)
  const tabs = siteTabs.filter((one) => site !== undefined && one.shown(site, actions))
  const [tab, openTab] = useHashTab(['overview', ...tabs.map(({ id }) => id)], otherHashes)
  const Panel = tabs.find(({ id }) => id === tab)?.Panel
  useTitle(site && !error ? siteName(site) : null)
  // The user can no longer see it: the share was revoked, or the site is gone.
  if (error && (!site || error.httpStatus === 403 || error.httpStatus === 404)) {
    const missing = <SiteNotFound name={name} error={error} onRetry={() => reload()} />
    // It may be one at WP Cloud, whose pages have the same addresses.
    return wpc && error.httpStatus === 404 ? <WpcSitePage name={name} missing={missing} /> : missing
  }
  if (!site || isPending)
    return (
      <>
        <StillLoading slow={isSlow} />
        <SiteSkeleton />
      </>
    )
  return (
    <>
      <SiteHead site={site} isSummarized={Panel === undefined} />
      <Tabs
        label={t('site.tabs')}
        tabs={[{ id: 'overview', label: t('site.overview') }, ...tabs.map(({ id, label }) => ({ id, label: label() }))]}
        current={tab}
        onChange={openTab}
      />
      <HiddenSiteTab site={site} shown={tabs} />
      <TabPanel id={tab}>
        {Panel ? (
          <Panel site={site} />
        ) : (
          <SiteOverviewTab site={site} server={server} serverFailed={servers.error !== null} />
        )}
      </TabPanel>
    </>
  )
}

/** The public URL; linked only while the site is up. */
function Address({ url, open }: { url: string | null; open: boolean }) {
  if (!url) return null
  const host = url.replace(/^https?:\/\//, '')
  if (!open) return <span className="min-w-0 truncate">{host}</span>
  return (
    <a href={url} target="_blank" rel="noopener" className="min-w-0 truncate font-medium text-fg hover:underline">
      {host}
    </a>
  )
}

/** Without tabs: their position depends on the site's text, which may take one or two lines. */
function SiteSkeleton() {
  return (
    <div aria-hidden="true" className="grid gap-3">
      <div className="flex min-h-14 items-center gap-4">
        <Skeleton className="h-[46px] w-[72px] shrink-0 md:h-[72px] md:w-28" />
        <div className="grid min-w-0 flex-1 gap-2">
          <Skeleton className="h-5 w-48 max-w-full" />
          <Skeleton className="h-4 w-72 max-w-full" />
        </div>
      </div>
      <Skeleton className="h-9 w-full rounded-card md:hidden" />
      <Skeleton className="h-9 w-60" />
      <Skeleton className="h-24 w-full rounded-card" />
    </div>
  )
}

/** `isSummarized`: the summary below it says how the site is and what it runs. */
function SiteHead({ site, isSummarized }: { site: Site; isSummarized: boolean }) {
  const doc = { ...site, doctype: 'Site' }
  const admin = useActions(SiteDoctype, doc).find((entry) => entry.name === 'login_link')
  const openAdmin = useOpenAdmin()
  const [opening, setOpening] = useState(false)
  const screenshot = useRefreshScreenshot(site)
  const clone = useClone(site)
  const possible = site.site_type === 'wp' && admin?.gate.enabled === true
  const open = async () => {
    if (site.site_type !== 'wp' || !admin || opening) return
    if (!admin.gate.enabled) {
      // Shows the reason to users of the shortcut or of touch, who get no tooltip.
      showToast({ title: t('site.admin_not_now'), description: admin.gate.reason, variant: 'info' })
      return
    }
    setOpening(true)
    await openAdmin(site)
    setOpening(false)
  }
  useShortcuts({ l: () => void open() })
  const status = site.status ?? 'Setting Up'
  return (
    <div className="mb-3 flex flex-wrap items-center gap-x-5 gap-y-3">
      <div className="flex min-w-0 flex-1 basis-80 items-center gap-4">
        <Thumbnail size="lg" name={siteName(site)} src={site.thumbnail} />
        <div className="min-w-0 flex-1">
          <div className="flex items-center gap-1.5">
            <h1 tabIndex={-1} className="min-w-0 wrap-anywhere">
              {siteName(site)}
            </h1>
            <FavoriteButton type={SiteDoctype} name={site.name} title={siteName(site)} value={site.favorite} />
          </div>
          <div className="mt-1 flex min-h-6 flex-wrap items-center gap-x-3.5 gap-y-1.5 text-table text-muted">
            <DocStatus inset={status !== 'Live'} doctype="Site" value={status} job={site.locked_by_job} />
            {status === 'Live' && site.health && !isSummarized ? (
              <DocStatus inset doctype="Site" field="health" value={site.health} />
            ) : null}
            <StagingBadge site={site} />
            {site.maintenance ? <Tag>{t('site.maintenance')}</Tag> : null}
            {site.debug_until ? <Tag>{t('site.debugging')}</Tag> : null}
            <span className="inline-flex min-w-0 items-center gap-1">
              <Address url={site.url} open={status === 'Live'} />
              <CopyButton value={site.url ?? site.domain} label={t('site.copy_address')} />
            </span>
            {isSummarized || !isUnpacked(site)
              ? null
              : versionTexts(site).map((text) => <span key={text}>{text}</span>)}
          </div>
        </div>
      </div>
      <div className="flex items-center gap-2 max-md:w-full max-md:flex-wrap">
        <ShareButton site={site} />
        {site.url && status === 'Live' ? (
          <a href={site.url} target="_blank" rel="noopener" className={buttonStyle({ variant: 'default' })}>
            <ExternalLink size={16} strokeWidth={1.75} aria-hidden="true" className="text-muted max-md:hidden" />
            {t('site.visit')}
          </a>
        ) : null}
        {site.site_type === 'wp' && admin ? (
          <Button
            variant="primary"
            className="max-md:flex-1"
            busy={opening}
            aria-disabled={possible ? undefined : true}
            title={admin.gate.enabled ? undefined : admin.gate.reason}
            onClick={() => void open()}
          >
            {opening ? null : <LogIn size={16} strokeWidth={1.75} aria-hidden="true" />}
            {t('site.open_admin')}
            <Kbd filled className="max-md:hidden">
              L
            </Kbd>
          </Button>
        ) : null}
        <ActionMenu
          type={SiteDoctype}
          doc={doc}
          commands={[
            'set_owner',
            ...(possible ? ['login_link'] : []),
            ...(screenshot ? ['take_picture'] : []),
            ...(clone.item ? ['clone'] : []),
          ]}
          before={
            screenshot || clone.item ? (
              <>
                {screenshot ? (
                  <MenuItem reason={screenshot.gate.enabled ? null : screenshot.gate.reason} onSelect={screenshot.take}>
                    {t('site.screenshot_refresh')}
                  </MenuItem>
                ) : null}
                {clone.item}
              </>
            ) : undefined
          }
        />
        {clone.dialog}
      </div>
    </div>
  )
}
