import { formatBytes } from '#web/lib/format.ts'
import { Nothing } from '#web/documents/cells.tsx'
import type { ListColumn } from '#web/documents/list-columns.ts'
import { t } from './messages.ts'

/** Columns of the sites list (design/ux.md section 5), as far as the work behind them exists. */
export const siteColumns: readonly ListColumn[] = [
  { field: 'domain', label: t('sites.site') },
  { field: 'status' },
  { field: 'health', card: true },
  { field: 'server', card: true },
  { field: 'site_type', off: true },
  { field: 'wordpress_version', from: 'desktop' },
  { field: 'php_version', from: 'desktop' },
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
