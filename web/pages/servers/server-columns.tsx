import { CopyButton } from '#web/ui/copy-button.tsx'
import { Nothing } from '#web/documents/cells.tsx'
import type { ListColumn } from '#web/documents/list-columns.ts'
import { formatBytes } from '#web/lib/format.ts'
import { DiskCell } from './capacity.tsx'
import { t } from './messages.ts'

/**
 * Columns of the servers list. Members read only the public ones of a development server (design/security.md), so the
 * others are left out for them.
 */
export function serverColumns(privileged: boolean): readonly ListColumn[] {
  const open: ListColumn[] = [
    { field: 'hostname', label: t('servers.server') },
    { field: 'status' },
    { field: 'server_category', from: 'desktop' },
    {
      field: 'cloud_provider',
      from: 'desktop',
      also: ['engine'],
      render: ({ engine, cloud_provider: provider }) =>
        engine === 'local' ? t('server.this_machine') : typeof provider === 'string' ? provider : <Nothing />,
    },
    {
      field: 'cpu',
      right: true,
      from: 'desktop',
      render: ({ cpu }) => (typeof cpu === 'number' ? t('servers.cores', { count: cpu }) : <Nothing />),
    },
    {
      field: 'ram',
      right: true,
      card: true,
      render: ({ ram }) => (typeof ram === 'number' ? formatBytes(ram) : <Nothing />),
    },
    {
      field: 'disk',
      label: t('servers.disk'),
      also: privileged ? ['disk_free'] : [],
      card: true,
      render: ({ disk, disk_free }) => <DiskCell server={{ disk, disk_free }} />,
    },
  ]
  if (!privileged) return open
  return [
    ...open,
    {
      field: 'public_ipv4',
      label: t('servers.ipv4'),
      from: 'desktop',
      render: ({ public_ipv4: address }) =>
        typeof address === 'string' && address !== '' ? (
          <span className="inline-flex items-center gap-1 font-mono text-meta">
            {address}
            <CopyButton value={address} />
          </span>
        ) : (
          <Nothing />
        ),
    },
    { field: '_owner', off: true },
    { field: 'creation', off: true },
  ]
}
