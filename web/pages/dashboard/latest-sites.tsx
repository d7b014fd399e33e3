import { addressBesideName, siteName } from '#shared/rules/display-name.ts'
import { Link } from '#web/lib/routing/router.tsx'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { DocStatus } from '#web/documents/values/cells.tsx'
import { valueLabel } from '#web/documents/query/list-query.ts'
import { useList, type Loaded } from '#web/lib/api/frappe.tsx'
import { Card, CardHead } from '#web/ui/card.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { Thumbnail } from '#web/features/sites/thumbnail.tsx'
import { Time } from '#web/ui/time.tsx'
import { t } from './messages.ts'

const fields = [
  'name',
  'domain',
  'title',
  'status',
  'health',
  'site_type',
  'wordpress_version',
  'php_version',
  'creation',
  'locked_by_job',
  'thumbnail',
] as const
const shown = 5

type LatestSite = Pick<Site, (typeof fields)[number]>

/** The newest sites; read only when `wanted`. */
export function useLatestSites(wanted: boolean): Loaded<LatestSite[]> {
  return useList(wanted ? 'Site' : null, {
    fields,
    filters: [['status', '!=', 'Archived']],
    order_by: 'creation desc',
    limit: shown,
  })
}

/** The newest sites with their status, and a hint about favorites, for users without any. */
export function LatestSites({ latest }: { latest: Pick<Loaded<LatestSite[]>, 'data' | 'error' | 'reload'> }) {
  const sites = latest.data
  if (sites?.length === 0) return null
  return (
    <Card className="mb-4">
      <CardHead title={t('dashboard.sites')} lined>
        <Link to="/site" className="link">
          {t('dashboard.sites_all')}
        </Link>
      </CardHead>
      {!sites && latest.error ? (
        <ErrorPanel
          className="flex items-start gap-3 p-4"
          title={t('dashboard.error_title')}
          error={latest.error}
          onRetry={() => latest.reload()}
        />
      ) : null}
      <ul className="divide-y divide-hairline">
        {sites?.map((site) => (
          <li
            key={site.name}
            className="grid min-h-11 grid-cols-[minmax(0,1fr)_auto] items-center gap-4 px-4 py-1.5 text-table md:grid-cols-[minmax(0,1fr)_108px_108px_110px] xl:grid-cols-[minmax(0,1fr)_120px_120px_140px_110px]"
          >
            <span className="flex min-w-0 items-center gap-3">
              <Thumbnail size="sm" name={siteName(site)} src={site.thumbnail} />
              <span className="min-w-0">
                <Link
                  to={`/site/${encodeURIComponent(site.name)}`}
                  className="block truncate font-medium hover:underline"
                >
                  {siteName(site)}
                </Link>
                <span className="block truncate text-meta text-muted empty:hidden">{addressBesideName(site)}</span>
              </span>
            </span>
            <span>
              <DocStatus doctype="Site" value={site.status ?? ''} job={site.locked_by_job} />
            </span>
            <span className="max-md:hidden">
              {site.status === 'Live' && site.health ? (
                <DocStatus doctype="Site" field="health" value={site.health} />
              ) : null}
            </span>
            <span className="text-muted max-xl:hidden">
              {[
                valueLabel(SiteDoctype, 'site_type', site.site_type),
                site.site_type === 'wp' ? site.wordpress_version : null,
              ]
                .filter(Boolean)
                .join(' ')}
            </span>
            <Time value={site.creation} className="text-right text-muted max-md:hidden" />
          </li>
        )) ??
          Array.from({ length: latest.error ? 0 : 3 }, (_, index) => (
            <li key={index} aria-hidden="true" className="flex h-11 items-center px-4">
              <Skeleton className="h-3 w-64" />
            </li>
          ))}
      </ul>
      <p className="border-t border-hairline px-4 py-2.5 text-meta text-muted">{t('dashboard.star_hint')}</p>
    </Card>
  )
}
