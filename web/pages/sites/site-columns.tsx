import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { addressBesideName, siteName } from '#shared/rules/display-name.ts'
import { formatCountry } from '#web/lib/i18n/format.ts'
import { FieldValue, Nothing } from '#web/documents/values/cells.tsx'
import type { RowOf } from '#web/lib/api/list-rows.ts'
import { withCells, type ListCells, type ListColumn } from '#web/documents/list/list-columns.ts'
import { favoriteField } from '#web/documents/list/list-rows-request.ts'
import type { SiteCardData } from '#web/features/sites/site-card.tsx'
import { RecentUptimeCell } from '#web/features/sites/recent-uptime-later.tsx'
import { SiteHoverCard } from '#web/features/sites/site-hover-card.tsx'
import { t as valueText } from '#web/documents/values/messages.ts'
import { linkTitleKey } from '#web/documents/query/list-request.ts'
import { Flag } from '#web/ui/images/flag.tsx'
import { Thumbnail } from '#web/features/sites/thumbnail.tsx'
import { countryKey, siteListColumns, sourceTitleKey } from './site-list-columns.ts'
import { StagingTag } from './copies/staging-badge.tsx'
import { t } from './messages.ts'
import { ProblemLine } from '#web/documents/values/problem.tsx'
import { LastBackup } from './backups/last-backup.tsx'
import { hasFailed, siteProblem } from './site-problem.ts'
import { OldWordPressLine, WordPressVersion } from './wordpress-version.tsx'
import { formatDiskSize, isUnpacked } from './storage-details.ts'

/** Number of domains in a stored list of aliases, separated by lines, commas or spaces. */
export function aliasCount(stored: string | null | undefined): number {
  return (stored ?? '').split(/[\s,]+/).filter((part) => part !== '').length
}

/** A row of the site list; users who can read where servers are also get the country. */
type SiteRow = RowOf<Site> & { readonly [Key in typeof countryKey | typeof sourceTitleKey]?: string | null }

/** The row's fields for the hover card. */
function siteCardData(row: SiteRow): SiteCardData {
  return {
    domain: row.domain ?? row.name,
    title: row.title ?? null,
    status: row.status ?? null,
    health: row.health ?? null,
    thumbnail: row.thumbnail || null,
    thumbnail_taken: row.thumbnail_taken ?? null,
    usr_alias_domains: row.usr_alias_domains ?? null,
    server_title: row[linkTitleKey('server')] ?? null,
  }
}

/** The address below the title, which names the site: a search finds sites by either. */
function SiteAddress({ row: { name, domain = name, title } }: { row: SiteRow }) {
  const address = addressBesideName({ domain, title: title ?? null })
  if (address === null) return null
  return (
    <span translate="no" className="inline-block max-w-56 truncate align-bottom">
      {address}
    </span>
  )
}

/** A site's server, with its flag. */
function ServerCell({ row }: { row: SiteRow }) {
  const country = row[countryKey]
  const name = <FieldValue type={SiteDoctype} field="server" row={row} />
  if (!country) return name
  return (
    <span className="inline-flex items-center gap-1.5 align-middle">
      <Flag code={country} title={formatCountry(country)} />
      <span className="block max-w-40 truncate">{name}</span>
    </span>
  )
}

/** The words and cells of the columns. */
const cells: ListCells<SiteRow, keyof Site> = {
  domain: {
    label: t('sites.site'),
    icon: ({ name, domain = name, title = null, thumbnail = null }) => (
      <Thumbnail size="sm" name={siteName({ title, domain })} src={thumbnail} />
    ),
    around: (row, link) => <SiteHoverCard site={siteCardData(row)}>{link}</SiteHoverCard>,
    render: (row) => {
      const aliases = aliasCount(row.usr_alias_domains)
      return (
        <>
          {/* What does not fit beside the address goes below it, not over the next column. */}
          <span className="flex flex-wrap items-center gap-x-2 empty:hidden">
            <SiteAddress row={row} />
            {row.staging_of ? (
              <span className="max-w-full overflow-hidden">
                <StagingTag of={row[sourceTitleKey] || row[linkTitleKey('staging_of')] || null} />
              </span>
            ) : null}
            {aliases > 0 ? <span>{t('sites.aliases', { count: aliases })}</span> : null}
          </span>
          {hasFailed(row) ? <ProblemLine {...siteProblem(row)} /> : null}
          {isUnpacked(row) ? <OldWordPressLine site={row} /> : null}
        </>
      )
    },
  },
  [favoriteField]: { label: valueText('star.column') },
  health: {
    // The last check of a site that doesn't run says nothing about it.
    render: (row) =>
      row.status === 'Live' ? (
        <>
          <FieldValue type={SiteDoctype} field="health" row={row} />
          <RecentUptimeCell site={row.name} />
        </>
      ) : (
        <Nothing />
      ),
  },
  server: { render: (row) => <ServerCell row={row} /> },
  wordpress_version: {
    render: (row) =>
      !row.wordpress_version ? (
        <Nothing />
      ) : isUnpacked({ status: row.status ?? null }) ? (
        <WordPressVersion site={row} />
      ) : (
        row.wordpress_version
      ),
  },
  wordpress_checksum: {
    // Only files of WordPress are verified.
    render: (row) =>
      row.site_type === 'wp' ? <FieldValue type={SiteDoctype} field="wordpress_checksum" row={row} /> : <Nothing />,
  },
  disk_used: {
    label: t('sites.disk'),
    render: ({ status, disk_used: used, disk_used_at_least: least }) =>
      typeof used === 'number' && isUnpacked({ status: status ?? null }) ? (
        formatDiskSize(used, least === 1)
      ) : (
        <Nothing />
      ),
  },
  backup_at: {
    // Below one another: as a line they would take the room of longer names.
    render: (row) => (
      <span className="block max-w-36">
        <LastBackup site={row} />
      </span>
    ),
  },
}

/** Columns of the site list. */
export const siteColumns = (privileged: boolean): readonly ListColumn<SiteRow, keyof Site>[] =>
  withCells(siteListColumns(privileged), cells)
