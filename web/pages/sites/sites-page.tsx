import { Globe } from 'lucide-react'
import { useMemo } from 'react'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { isOneOf } from '#shared/is-one-of.ts'
import { bulkActionNames, bulkArgument } from '#shared/rules/bulk-actions.ts'
import { siteAttention, sitesInUse as listed } from '#shared/rules/site-attention.ts'
import { rowDoc, type BulkStart } from '#web/documents/bulk/bulk-choices.ts'
import type { RowOf } from '#web/lib/api/list-rows.ts'
import { DocumentList } from '#web/documents/list/list.tsx'
import { useOpenAdmin } from '#web/features/sites/open-admin.ts'
import { RecentUptimeLater } from '#web/features/sites/recent-uptime-later.tsx'
import { useStartBulkRun } from '#web/features/sites/start-bulk-run.ts'
import { PlanNudge } from '#web/features/plans/plan-nudge.tsx'
import type { ListView } from '#web/documents/query/saved-views.ts'
import { useActions } from '#web/documents/actions/use-actions.ts'
import { formatNumber } from '#web/lib/i18n/format.ts'
import { useCount } from '#web/lib/api/frappe.tsx'
import { sessionRoles, useSession } from '#web/lib/session/session.tsx'
import { showToast } from '#web/lib/browser/toasts.ts'
import { listHref } from '#web/documents/query/list-href.ts'
import { buttonStyle } from '#web/ui/button.tsx'
import { SummaryCards } from '#web/ui/summary-cards.tsx'
import { EmptyState } from '#web/ui/empty-state.tsx'
import { Kbd } from '#web/ui/kbd.tsx'
import { MenuItem } from '#web/ui/overlay/menu.tsx'
import { Link } from '#web/lib/routing/router.tsx'
import { PageHead, StickyAction } from '#web/ui/page-head.tsx'
import { adminUnavailableReason } from './admin-unavailable-reason.ts'
import { BackupFilterMenu } from './backups/backup-filter-menu.tsx'
import { CreateSiteButton } from './create-site-button.tsx'
import { useSiteImport } from './portable/use-site-import.tsx'
import { t } from './messages.ts'
import { ShareSitesButton } from './bulk/share-sites-button.tsx'
import { UpdatePluginButton } from './bulk/update-plugin-button.tsx'
import { SiteNoticeLine } from './site-notice.tsx'
import { siteColumns } from './site-columns.tsx'
import { sitesArchived as archived } from './site-summary-reads.ts'
import { useSiteSummary } from './use-site-summary.ts'

/** Opens a site as its visitors see it, in a new tab that can't access this page: the site is not trusted. */
const visit = (url: string) => window.open(url, '_blank', 'noopener')

/** Opens the admin of a site, or says why there is none now. */
function useOpenLive(): (row: RowOf<Site>) => void {
  const openAdmin = useOpenAdmin()
  return (row) => {
    const reason = adminUnavailableReason(row)
    if (reason === null) void openAdmin({ name: row.name, domain: row.domain ?? row.name, title: row.title ?? null })
    else showToast({ title: t('site.admin_not_now'), description: reason, variant: 'info' })
  }
}

/** Menu item of a row, for users with the permission: a share may be read-only. */
function AdminItem({ row }: { row: RowOf<Site> }) {
  const openLive = useOpenLive()
  const admin = useActions(SiteDoctype, rowDoc(SiteDoctype, row)).find(({ name }) => name === 'login_link')
  if (!admin) return null
  return (
    <MenuItem
      aside={<Kbd className="max-md:hidden">L</Kbd>}
      reason={admin.gate.enabled ? null : admin.gate.reason}
      onSelect={() => openLive(row)}
    >
      {t('site.open_admin')}
    </MenuItem>
  )
}

/** All sites of the organization that the user can see. */
export function SitesPage() {
  const openLive = useOpenLive()
  const bulkRun = useStartBulkRun()
  const bulkStart: BulkStart = (action, args, names) =>
    isOneOf(bulkActionNames, action) ? bulkRun.start(action, bulkArgument(action, args), names) : null
  const siteImport = useSiteImport()
  const session = useSession()
  const { user, modules } = session
  const { privileged } = sessionRoles(session)
  const columns = useMemo(() => siteColumns(privileged), [privileged])
  const total = useCount('Site', { filters: listed }).data
  const summary = useSiteSummary(modules.ee, total)
  const archivedTotal = useCount('Site', { filters: archived }).data
  const views: ListView[] = useMemo(
    () => [
      { key: 'all', label: t('sites.all'), filters: SiteDoctype.list?.filters ?? [] },
      { key: 'favorites', label: t('sites.favorites'), filters: [...listed, ['favorite', '=', 1]] },
      { key: 'attention', label: t('sites.attention'), filters: [...listed], any: siteAttention },
      { key: 'mine', label: t('sites.mine'), filters: [...listed, ['createdby_email', '=', user]] },
      { key: 'archived', label: t('sites.view_archived'), filters: archived },
    ],
    [user],
  )
  const subtitle =
    total === undefined
      ? null
      : [
          t('sites.count', { count: total }),
          archivedTotal ? t('sites.archived', { count: formatNumber(archivedTotal) }) : null,
        ]
          .filter(Boolean)
          .join(', ')
  return (
    <>
      <PageHead title={t('sites.title')} subtitle={subtitle}>
        {modules.wpc ? (
          <Link to="/site/wp-cloud" className={buttonStyle({ variant: 'default' })}>
            {t('sites.wp_cloud')}
          </Link>
        ) : null}
        {siteImport.button}
        <CreateSiteButton className="max-md:hidden" />
      </PageHead>
      <SiteNoticeLine />
      <PlanNudge resource="site" />
      {/* Phones have the same in the views and their order, and need the space for the list. */}
      <div className="max-md:hidden">
        <SummaryCards slim {...summary} />
      </div>
      {siteImport.area(
        <RecentUptimeLater>
          <DocumentList
            type={SiteDoctype}
            columns={columns}
            views={views}
            href={(row) => `/site/${encodeURIComponent(row.name)}`}
            bulkStart={bulkStart}
            bulk={(rows, clear) => (
              <>
                <ShareSitesButton rows={rows} onShared={clear} />
                <UpdatePluginButton rows={rows} />
              </>
            )}
            toolbar={<BackupFilterMenu listed={listed} />}
            rowKeys={{ l: openLive }}
            rowMenu={(row) => (
              <>
                <MenuItem
                  href={`/site/${encodeURIComponent(row.name)}`}
                  aside={<Kbd className="max-md:hidden">Enter</Kbd>}
                >
                  {t('sites.open')}
                </MenuItem>
                {row.status === 'Live' && row.url ? (
                  <MenuItem onSelect={() => visit(row.url ?? '')}>{t('site.visit')}</MenuItem>
                ) : null}
                {row.site_type === 'wp' ? <AdminItem row={row} /> : null}
              </>
            )}
            empty={
              <EmptyState
                icon={<Globe size={20} strokeWidth={1.75} />}
                title={archivedTotal ? t('sites.all_archived') : t('sites.empty_title')}
                // On phones it is at the lower edge.
                action={<CreateSiteButton plain className="max-md:hidden" />}
              >
                {archivedTotal ? (
                  <Link className="link" to={listHref('/site', archived)}>
                    {t('sites.show_archived', { count: archivedTotal })}
                  </Link>
                ) : (
                  t('sites.empty')
                )}
              </EmptyState>
            }
          />
        </RecentUptimeLater>,
      )}
      {siteImport.dialog}
      <StickyAction>
        <PlanNudge low resource="site" />
        <CreateSiteButton />
      </StickyAction>
    </>
  )
}
