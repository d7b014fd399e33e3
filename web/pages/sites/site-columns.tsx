import { formatBytes } from '#web/lib/format.ts'
import { Nothing } from '#web/documents/cells.tsx'
import { favouriteField, type ListColumn } from '#web/documents/list-columns.ts'
import { lt } from '#web/documents/list-messages.ts'
import { counted } from '#web/documents/counted.ts'
import { t } from './messages.ts'

/** Domains in a stored list of aliases: one a line, or separated by commas or spaces. */
export function aliasCount(stored: unknown): number {
  return typeof stored === 'string' ? stored.split(/[\s,]+/).filter((part) => part !== '').length : 0
}

/** Columns of the sites list (design/ux.md section 5), as far as the work behind them exists. */
export const siteColumns: readonly ListColumn[] = [
  {
    field: 'domain',
    label: t('sites.site'),
    also: ['usr_alias_domains'],
    render: (row) => {
      const aliases = aliasCount(row['usr_alias_domains'])
      return aliases > 0 ? t('sites.aliases', counted(aliases)) : null
    },
  },
  { field: favouriteField, label: lt('star.column') },
  { field: 'status' },
  { field: 'health', card: true },
  { field: 'server', card: true },
  { field: 'site_type', off: true },
  { field: 'wordpress_version', from: 'desktop' },
  { field: 'php_version', from: 'desktop' },
  { field: 'wordpress_checksum', from: 'desktop' },
  {
    field: 'disk_used',
    label: t('sites.disk'),
    right: true,
    from: 'desktop',
    render: (row) => (typeof row['disk_used'] === 'number' ? formatBytes(row['disk_used']) : <Nothing />),
  },
  { field: 'createdby_email', off: true },
  { field: 'creation', off: true },
]
