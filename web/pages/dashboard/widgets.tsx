import { useBackupsCount } from './backups-count.tsx'
import { inUse } from './dashboard-lists.ts'
import { useCallback, useEffect, useState } from 'react'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { sitesInUse } from '#shared/rules/site-attention.ts'
import { listHref } from '#web/documents/query/list-href.ts'
import { formatNumber } from '#web/lib/i18n/format.ts'
import { Link } from '#web/lib/routing/router.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { CountCard, type Count } from './count-card.tsx'
import { countOf, type Counted } from './counts.ts'
import { t } from './messages.ts'

const wordpress = [...sitesInUse, ['site_type', '=', 'wp']] as const

/** A running server: "Degraded" ones still serve their sites. */
export const runningStatuses = ['Healthy', 'Degraded']
const running = [['status', 'in', runningStatuses]] as const

/** "5 of 7", linked to the running ones. */
function RunningCount({ rows }: { rows: readonly Counted[] }) {
  return (
    <Link to={listHref('/server', running)} className="rounded-xs hover:underline">
      {t('dashboard.running_of', {
        n: formatNumber(countOf(rows, runningStatuses)),
        all: formatNumber(countOf(rows)),
      })}
    </Link>
  )
}

/** All widgets appear at once so that none shifts another. After this time, don't wait for the slowest. */
const waitMs = 3000

/**
 * The counts of docs/contracts/screens.md, section 9; those about servers only if the organization has them. The CI/CD count
 * will be added with that feature.
 */
export function Widgets({ servers }: { servers: boolean }) {
  const site = { type: SiteDoctype, path: '/site' }
  const server = { type: ServerDoctype, path: '/server', filters: inUse }
  const backups = useBackupsCount(sitesInUse)
  const counts: Count[] = [
    backups,
    { ...site, field: 'cloud_provider', title: t('dashboard.by_provider'), filters: sitesInUse },
    {
      ...site,
      field: 'wordpress_version',
      title: t('dashboard.by_wordpress'),
      filters: wordpress,
      unset: t('dashboard.not_known'),
    },
    { ...site, field: 'wordpress_checksum', title: t('dashboard.by_checksum'), filters: wordpress },
    { ...site, field: 'site_type', title: t('dashboard.by_type'), filters: sitesInUse },
    ...(servers
      ? [
          { ...server, field: 'cloud_provider', title: t('dashboard.servers_by_provider') },
          {
            ...server,
            field: 'status',
            title: t('dashboard.servers_running'),
            summary: (rows: readonly Counted[]) => <RunningCount rows={rows} />,
          },
        ]
      : []),
    { ...site, field: 'status', title: t('dashboard.by_status'), filters: sitesInUse },
    {
      ...site,
      field: 'php_version',
      title: t('dashboard.by_php'),
      filters: [...sitesInUse, ['site_type', '!=', 'html']],
    },
  ]
  const [known, setKnown] = useState<ReadonlySet<string>>(new Set())
  const add = useCallback((title: string) => setKnown((before) => new Set(before).add(title)), [])
  const [waiting, setWaiting] = useState(true)
  useEffect(() => {
    const timer = setTimeout(() => setWaiting(false), waitMs)
    return () => clearTimeout(timer)
  }, [])
  const ready = !waiting || counts.every(({ title }) => known.has(title))
  const grid = 'grid gap-4 md:grid-cols-2 xl:grid-cols-4'
  return (
    <>
      {ready ? null : (
        <div aria-hidden="true" className={grid}>
          {counts.map(({ title }) => (
            <Skeleton key={title} className="h-36 w-full rounded-card" />
          ))}
        </div>
      )}
      <div className={ready ? grid : 'hidden'}>
        {counts.map((count) => (
          <CountCard key={count.title} count={count} onKnown={add} />
        ))}
      </div>
    </>
  )
}
