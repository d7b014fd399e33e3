import { Link } from '#web/lib/router.tsx'
import { SiteType, type Site } from '#shared/doctypes/site.ts'
import { DocStatus } from '#web/documents/cells.tsx'
import { valueLabel } from '#web/documents/list-query.ts'
import { useList } from '#web/lib/frappe.tsx'
import { Card, CardHead } from '#web/ui/card.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { Time } from '#web/ui/time.tsx'
import { t } from './messages.ts'

const fields = [
  'name',
  'domain',
  'status',
  'health',
  'site_type',
  'wordpress_version',
  'php_version',
  'creation',
  'locked_by_job',
] as const
const shown = 5

/** The newest sites with how they are. */
export function LatestSites() {
  const sites = useList<Pick<Site, (typeof fields)[number]>>('Site', {
    fields,
    filters: [['status', '!=', 'Archived']],
    order_by: 'creation desc',
    limit: shown,
  })
  if (sites.data?.length === 0) return null
  return (
    <Card className="mb-4">
      <CardHead title={t('dashboard.sites')} lined>
        <Link to="/site" className="link">
          {t('dashboard.sites_all')}
        </Link>
      </CardHead>
      <ul className="divide-y divide-hairline">
        {sites.data?.map((site) => (
          <li
            key={site.name}
            className="grid min-h-11 grid-cols-[minmax(0,1fr)_auto] items-center gap-4 px-4 py-1.5 text-table md:grid-cols-[minmax(0,1fr)_120px_120px_140px_110px]"
          >
            <Link to={`/site/${encodeURIComponent(site.name)}`} className="truncate font-medium hover:underline">
              {site.domain}
            </Link>
            <span>
              <DocStatus doctype="Site" value={site.status ?? ''} job={site.locked_by_job} />
            </span>
            <span className="max-md:hidden">
              {site.status === 'Live' && site.health ? (
                <DocStatus doctype="Site" field="health" value={site.health} />
              ) : null}
            </span>
            <span className="text-muted max-md:hidden">
              {[
                valueLabel(SiteType, 'site_type', site.site_type),
                site.site_type === 'wp' ? site.wordpress_version : null,
              ]
                .filter(Boolean)
                .join(' ')}
            </span>
            <Time value={site.creation} className="text-right text-muted max-md:hidden" />
          </li>
        )) ??
          Array.from({ length: 3 }, (_, index) => (
            <li key={index} aria-hidden="true" className="flex h-11 items-center px-4">
              <Skeleton className="h-3 w-64" />
            </li>
          ))}
      </ul>
      <p className="border-t border-hairline px-4 py-2.5 text-meta text-muted">{t('dashboard.star_hint')}</p>
    </Card>
  )
}
