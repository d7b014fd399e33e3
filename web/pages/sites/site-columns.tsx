import { SiteDoctype } from '#shared/doctypes/site.ts'
import { formatCountry } from '#web/lib/i18n/format.ts'
import { FieldValue, Nothing, type ListRow } from '#web/documents/list/cells.tsx'
import { favoriteField, type ListColumn } from '#web/documents/list/list-columns.ts'
import type { SiteCardFacts } from '#web/features/sites/site-card.tsx'
import { SiteHoverCard } from '#web/features/sites/site-hover-card.tsx'
import { lt } from '#web/documents/list/list-messages.ts'
import { linkTitleKey } from '#web/documents/list/list-query.ts'
import { counted } from '#web/lib/i18n/plural-count.ts'
import { Flag } from '#web/ui/images/flag.tsx'
import { Thumbnail } from '#web/ui/images/thumbnail.tsx'
import { t } from './messages.ts'
import { sizeWords } from './storage-words.ts'

/** Number of domains in a stored list of aliases, separated by lines, commas or spaces. */
export function aliasCount(stored: unknown): number {
  return typeof stored === 'string' ? stored.split(/[\s,]+/).filter((part) => part !== '').length : 0
}

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

/** The row's fields for the hover card. */
function cardFacts(row: ListRow): SiteCardFacts {
  return {
    domain: String(row['domain']),
    status: text(row['status']) as SiteCardFacts['status'],
    health: text(row['health']) as SiteCardFacts['health'],
    thumbnail: text(row['thumbnail']),
    thumbnail_taken: text(row['thumbnail_taken']),
    usr_alias_domains: text(row['usr_alias_domains']),
    server_title: text(row[linkTitleKey('server')]),
  }
}

/** Key of the server's country in a row. */
const countryKey = 'server_country'

/** A site's server, with its flag. */
function ServerCell({ row }: { row: ListRow }) {
  const country = text(row[countryKey])
  const name = <FieldValue type={SiteDoctype} field="server" row={row} />
  if (country === null) return name
  return (
    <span className="inline-flex items-center gap-1.5">
      <Flag code={country} title={formatCountry(country)} />
      {name}
    </span>
  )
}

/**
 * Columns of the site list (docs/contracts/screens.md) for implemented features. Members can't read server locations;
 * `privileged` users can.
 */
export const siteColumns = (privileged: boolean): readonly ListColumn[] => [
  {
    field: 'domain',
    label: t('sites.site'),
    also: ['usr_alias_domains', 'thumbnail', 'thumbnail_taken'],
    icon: (row) => (
      <Thumbnail
        size="sm"
        name={String(row['domain'])}
        src={typeof row['thumbnail'] === 'string' ? row['thumbnail'] : null}
      />
    ),
    around: (row, link) => <SiteHoverCard site={cardFacts(row)}>{link}</SiteHoverCard>,
    render: (row) => {
      const aliases = aliasCount(row['usr_alias_domains'])
      return aliases > 0 ? t('sites.aliases', counted(aliases)) : null
    },
  },
  { field: favoriteField, label: lt('star.column') },
  { field: 'status' },
  { field: 'health', card: true },
  {
    field: 'server',
    card: true,
    also: privileged ? [`server.vm_country as ${countryKey}`] : [],
    render: (row) => <ServerCell row={row} />,
  },
  { field: 'site_type', off: true },
  { field: 'wordpress_version', from: 'desktop' },
  { field: 'php_version', from: 'desktop' },
  { field: 'wordpress_checksum', from: 'desktop' },
  {
    field: 'disk_used',
    label: t('sites.disk'),
    right: true,
    from: 'desktop',
    also: ['disk_used_at_least'],
    render: (row) =>
      typeof row['disk_used'] === 'number' ? sizeWords(row['disk_used'], row['disk_used_at_least'] === 1) : <Nothing />,
  },
  { field: 'createdby_email', off: true },
  { field: 'creation', off: true },
]
