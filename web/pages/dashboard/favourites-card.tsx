import type { ReactNode } from 'react'
import type { Doctype } from '#shared/doctype.ts'
import { ServerType, type Server } from '#shared/doctypes/server.ts'
import { SiteType, type Site } from '#shared/doctypes/site.ts'
import { DocStatus } from '#web/documents/cells.tsx'
import { FavouriteButton } from '#web/documents/favourite.tsx'
import { listHref } from '#web/documents/list-href.ts'
import { documentPath } from '#web/documents/paths.ts'
import { useCount, useList } from '#web/lib/frappe.tsx'
import { Link } from '#web/lib/router.tsx'
import { sessionRoles, useSession } from '#web/lib/session.tsx'
import { Card, CardHead } from '#web/ui/card.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { LatestSites } from './latest-sites.tsx'
import { t } from './messages.ts'

/** Shown of each kind; the rest is in its list. */
const most = 8

type SiteRow = Pick<Site, 'name' | 'domain' | 'status' | 'health' | 'locked_by_job'>
type ServerRow = Pick<Server, 'name' | 'hostname' | 'status'>

const sites = [
  ['status', '!=', 'Archived'],
  ['favorite', '=', 1],
] as const
const machines = [
  ['status', '!=', 'Decommissioned'],
  ['favorite', '=', 1],
] as const

/** What this person marked with the star; until there is something, the newest sites and a word about the star. */
export function FavouritesCard({ servers }: { servers: boolean }) {
  const { admin, manager, owner } = sessionRoles(useSession())
  const siteRows = useList<SiteRow>('Site', {
    fields: ['name', 'domain', 'status', 'health', 'locked_by_job'],
    filters: sites,
    order_by: 'domain asc',
    limit: most,
  })
  const serverRows = useList<ServerRow>(servers ? 'Server' : null, {
    fields: ['name', 'hostname', 'status'],
    filters: machines,
    order_by: 'hostname asc',
    limit: most,
  })
  const count = useCount('Site', { filters: sites }).data ?? 0
  const loading = (!siteRows.data && !siteRows.error) || (servers && !serverRows.data && !serverRows.error)
  const none = !siteRows.data?.length && !serverRows.data?.length
  if (!loading && none) return <LatestSites />
  return (
    <Card className="mb-4" aria-label={t('dashboard.favourites')}>
      <CardHead title={t('dashboard.favourites')} lined>
        {count > most ? (
          <Link to={listHref('/site', sites)} className="link">
            {t('dashboard.favourites_all')}
          </Link>
        ) : null}
      </CardHead>
      {loading ? (
        <div aria-hidden="true" className="flex h-15 items-center px-4">
          <Skeleton className="h-4 w-56" />
        </div>
      ) : (
        <ul className="grid overflow-hidden rounded-b-card sm:grid-cols-2 xl:grid-cols-4">
          {siteRows.data?.map((site) => (
            <Favourite
              key={site.name}
              type={SiteType}
              name={site.name}
              title={site.domain}
              href={documentPath('Site', site.name)}
            >
              {site.status === 'Live' && site.health && site.health !== 'Not Checked' ? (
                <DocStatus doctype="Site" field="health" value={site.health} />
              ) : (
                <DocStatus doctype="Site" value={site.status ?? ''} job={site.locked_by_job} />
              )}
            </Favourite>
          ))}
          {serverRows.data?.map((server) => (
            <Favourite
              key={server.name}
              type={ServerType}
              name={server.name}
              title={server.hostname}
              // Members have no server pages (specification section 2, rule 8).
              href={admin || manager || owner ? documentPath('Server', server.name) : null}
            >
              <DocStatus doctype="Server" value={server.status ?? ''} />
            </Favourite>
          ))}
        </ul>
      )}
    </Card>
  )
}

function Favourite({
  type,
  name,
  title,
  href,
  children,
}: {
  type: Doctype
  name: string
  title: string
  href: string | null
  children: ReactNode
}) {
  return (
    <li className="-mr-px -mb-px flex min-h-15 min-w-0 items-center gap-2 border-r border-b border-hairline py-2 pr-2 pl-4 text-table">
      <span className="min-w-0 flex-1">
        {href ? (
          <Link to={href} className="block truncate font-medium hover:underline">
            {title}
          </Link>
        ) : (
          <span className="block truncate font-medium">{title}</span>
        )}
        <span className="block">{children}</span>
      </span>
      <FavouriteButton type={type} name={name} title={title} value={1} />
    </li>
  )
}
