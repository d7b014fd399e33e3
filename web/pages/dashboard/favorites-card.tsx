import { siteName } from '#shared/rules/display-name.ts'
import type { ReactElement, ReactNode } from 'react'
import type { Doctype } from '#shared/doctype.ts'
import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { DocStatus } from '#web/documents/values/cells.tsx'
import { FavoriteButton } from '#web/documents/values/favorite.tsx'
import { listHref } from '#web/documents/query/list-href.ts'
import { documentPath } from '#web/documents/document-paths.ts'
import type { SiteCardData } from '#web/features/sites/site-card.tsx'
import { SiteHoverCard, siteCardFields } from '#web/features/sites/site-hover-card.tsx'
import { useCount, useSmallList } from '#web/lib/api/frappe.tsx'
import { Link } from '#web/lib/routing/router.tsx'
import { sessionRoles, useSession } from '#web/lib/session/session.tsx'
import { Card, CardHead } from '#web/ui/card.tsx'
import type { Described } from '#web/ui/overlay/hover-card.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { Thumbnail } from '#web/features/sites/thumbnail.tsx'
import { t } from './messages.ts'

/** Maximum shown of each kind; the list has the rest. */
const most = 8

type SiteRow = Pick<Site, 'name' | 'locked_by_job'> & SiteCardData
type ServerRow = Pick<Server, 'name' | 'hostname' | 'status'>

const sites = [
  ['status', '!=', 'Archived'],
  ['favorite', '=', 1],
] as const
const machines = [
  ['status', '!=', 'Decommissioned'],
  ['favorite', '=', 1],
] as const

/** The user's favorites. */
export interface Favorites {
  sites: readonly SiteRow[]
  servers: readonly ServerRow[]
  /** All favorite sites, including those not in `sites`. */
  count: number
  loading: boolean
  none: boolean
}

/** Loads the favorites. */
export function useFavorites(servers: boolean): Favorites {
  const siteRows = useSmallList('Site', {
    fields: ['name', 'locked_by_job', ...siteCardFields],
    filters: sites,
    order_by: 'domain asc',
    limit: most,
  })
  const serverRows = useSmallList(servers ? 'Server' : null, {
    fields: ['name', 'hostname', 'status'],
    filters: machines,
    order_by: 'hostname asc',
    limit: most,
  })
  const count = useCount('Site', { filters: sites }).data ?? 0
  const loading = (!siteRows.data && !siteRows.error) || (servers && !serverRows.data && !serverRows.error)
  const none = !siteRows.data?.length && !serverRows.data?.length
  return { sites: siteRows.data ?? [], servers: serverRows.data ?? [], count, loading, none }
}

/** Favorites with their status. */
export function FavoritesCard({ favorites }: { favorites: Favorites }) {
  const { privileged } = sessionRoles(useSession())
  const { count, loading } = favorites
  return (
    <Card className="mb-4" aria-label={t('dashboard.favorites')}>
      <CardHead title={t('dashboard.favorites')} lined>
        {count > most ? (
          <Link to={listHref('/site', sites)} className="link">
            {t('dashboard.favorites_all')}
          </Link>
        ) : null}
      </CardHead>
      {loading ? (
        <div aria-hidden="true" className="flex h-15 items-center px-4">
          <Skeleton className="h-4 w-56" />
        </div>
      ) : (
        <ul className="grid overflow-hidden rounded-b-card sm:grid-cols-2 xl:grid-cols-4">
          {favorites.sites.map((site) => (
            <Favorite
              key={site.name}
              type={SiteDoctype}
              name={site.name}
              title={siteName(site)}
              href={documentPath('Site', site.name)}
              around={(link) => <SiteHoverCard site={site}>{link}</SiteHoverCard>}
              thumbnail={<Thumbnail size="md" name={siteName(site)} src={site.thumbnail} />}
            >
              {site.status === 'Live' && site.health && site.health !== 'Not Checked' ? (
                <DocStatus doctype="Site" field="health" value={site.health} />
              ) : (
                <DocStatus doctype="Site" value={site.status ?? ''} job={site.locked_by_job} />
              )}
            </Favorite>
          ))}
          {favorites.servers.map((server) => (
            <Favorite
              key={server.name}
              type={ServerDoctype}
              name={server.name}
              title={server.hostname}
              // Members have no server pages (docs/contracts/screens.md, section 2, rule 8).
              href={privileged ? documentPath('Server', server.name) : null}
            >
              <DocStatus doctype="Server" value={server.status ?? ''} />
            </Favorite>
          ))}
        </ul>
      )}
    </Card>
  )
}

function Favorite({
  type,
  name,
  title,
  href,
  thumbnail,
  around = (link) => link,
  children,
}: {
  type: Doctype
  name: string
  title: string
  href: string | null
  thumbnail?: ReactNode
  /** Wraps the link. */
  around?: (link: Described) => ReactElement
  children: ReactNode
}) {
  return (
    <li className="-mr-px -mb-px flex min-h-15 min-w-0 items-center gap-2 border-r border-b border-hairline py-2 pr-2 pl-4 text-table">
      {thumbnail ? <span className="mr-1.5 flex shrink-0">{thumbnail}</span> : null}
      <span className="min-w-0 flex-1">
        {href ? (
          around(
            <Link to={href} className="block truncate font-medium hover:underline">
              {title}
            </Link>,
          )
        ) : (
          <span className="block truncate font-medium">{title}</span>
        )}
        <span className="block">{children}</span>
      </span>
      <FavoriteButton type={type} name={name} title={title} value={1} />
    </li>
  )
}
