import { siteName } from '#shared/rules/display-name.ts'
import type { FilterTriple } from '#shared/doctype.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { listHref } from '#web/documents/query/list-href.ts'
import { statusLabel } from '#web/documents/values/status-tones.ts'
import { useSmallList } from '#web/lib/api/frappe.tsx'
import { formatNumber } from '#web/lib/i18n/format.ts'
import { Link } from '#web/lib/routing/router.tsx'
import { StatusIcon } from '#web/ui/status.tsx'
import type { Count } from './count-card.tsx'
import { countOf } from './counts.ts'
import { t } from './messages.ts'

/** How many sites are listed by name; the list has the rest. */
const named = 5

/** Sites whose newest backup failed its proof, or could not be made. */
const failing = [
  ['backup_proof', '=', 'Failed'],
  ['backup_failed_at', 'is', 'set'],
] as const satisfies readonly FilterTriple[]

/** What the newest backup of each site is worth: how many are proven, and which sites have a problem. */
export function useBackupsCount(filters: readonly FilterTriple[]): Count {
  const { data, error } = useSmallList('Site', {
    fields: ['name', 'domain', 'title', 'backup_proof', 'backup_failed_at'],
    filters,
    or_filters: failing,
    order_by: 'domain asc',
    limit: named + 1,
  })
  const proven = [...filters, ['backup_proof', '=', 'Proven']] as const
  return {
    type: SiteDoctype,
    field: 'backup_proof',
    title: t('dashboard.backups'),
    filters,
    path: '/site',
    unset: t('dashboard.backups_never'),
    least: 1,
    summary: (rows) => (
      <Link to={listHref('/site', proven)} className="rounded-xs hover:underline">
        {t('dashboard.backups_proven', {
          n: formatNumber(countOf(rows, ['Proven'])),
          all: formatNumber(countOf(rows)),
        })}
      </Link>
    ),
    below: error ? (
      <p role="alert" className="border-t border-hairline px-4 py-2.5 text-table text-muted">
        {t('dashboard.backups_error', { reason: error.message })}
      </p>
    ) : data ? (
      <Failing sites={data} href={listHref('/site', filters, failing)} />
    ) : null,
  }
}

function Failing({
  sites,
  href,
}: {
  sites: readonly Pick<Site, 'name' | 'domain' | 'title' | 'backup_proof' | 'backup_failed_at'>[]
  href: string
}) {
  if (sites.length === 0) return null
  return (
    <section aria-labelledby="failing-backups" className="border-t border-hairline px-4 pt-2.5 pb-3 text-table">
      <div className="flex items-center justify-between gap-2">
        <h3 id="failing-backups" className="text-meta text-muted">
          {t('dashboard.backups_failing')}
        </h3>
        {sites.length > named ? (
          <Link to={href} className="link text-meta">
            {t('dashboard.backups_all')}
          </Link>
        ) : null}
      </div>
      <ul>
        {sites.slice(0, named).map(({ name, domain, title, backup_failed_at: failed }) => (
          <li key={name}>
            <Link
              to={{ pathname: `/site/${encodeURIComponent(name)}`, hash: '#backupandrestore' }}
              className="flex min-h-7 items-center gap-1.5 hover:underline max-md:min-h-11"
            >
              <StatusIcon tone="bad" size={14} />
              <span translate="no" className="truncate font-medium">
                {siteName({ title, domain })}
              </span>
              <span className="ml-auto flex-none text-meta text-muted">
                {failed ? t('dashboard.backups_attempt') : statusLabel('Site', 'backup_proof', 'Failed')}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
