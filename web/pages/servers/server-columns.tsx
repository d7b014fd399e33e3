import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import { CopyButton } from '#web/ui/copy-button.tsx'
import { Nothing } from '#web/documents/values/cells.tsx'
import type { RowOf } from '#web/lib/api/list-rows.ts'
import type { ListColumn } from '#web/documents/list/list-columns.ts'
import { favoriteField } from '#web/documents/list/list-rows-request.ts'
import { t as valueText } from '#web/documents/values/messages.ts'
import { valueLabel } from '#web/documents/query/list-query.ts'
import { formatBytes, formatNumber } from '#web/lib/i18n/format.ts'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { diskUsage, UsageCell } from './capacity.tsx'
import { t } from './messages.ts'
import { ProblemLine } from '#web/documents/values/problem.tsx'
import { hasProblem, serverProblem } from './server-problem.ts'
import { serverLocation } from '#web/features/servers/server-location.tsx'
import { ServerMark } from './server-mark.tsx'

/** Pending updates, security updates first. */
function UpdatesCell({ security, all }: { security: number | null | undefined; all: number | null | undefined }) {
  if (typeof all !== 'number') return <Nothing />
  if (!security) return formatNumber(all)
  return (
    <>
      <span className="block font-medium text-warn">{t('servers.security', { count: security })}</span>
      <span className="block text-meta text-muted">{t('servers.updates_all', { count: all })}</span>
    </>
  )
}

/** Below the name of a server: why it needs attention, else its provider and location. */
function NameNote({ server, privileged }: { server: Partial<Server>; privileged: boolean }) {
  const { engine, cloud_provider: provider } = server
  if (privileged && hasProblem(server)) return <ProblemLine {...serverProblem(server)} />
  const location = engine === 'local' ? t('server.this_machine') : serverLocation(server)
  return (
    <span className="flex flex-wrap gap-x-2">
      {provider ? <span>{valueLabel(ServerDoctype, 'cloud_provider', provider)}</span> : null}
      {location}
    </span>
  )
}

/**
 * Columns of the server list. `sites`: number of sites per server name; null while loading. Members can read only some
 * columns (tests/permissions/matrix.md), so the others are omitted for them.
 */
export function serverColumns(
  privileged: boolean,
  sites: ReadonlyMap<string, number> | null,
): readonly ListColumn<RowOf<Server>>[] {
  const open: ListColumn<RowOf<Server>>[] = [
    {
      field: 'hostname',
      label: t('servers.server'),
      also: [
        'cloud_provider',
        'engine',
        ...(privileged
          ? ([
              'vm_region',
              'vm_country',
              'failure_reason',
              'failure_reason_i18n',
              'failure_since',
              'checked_at',
            ] as const)
          : []),
      ],
      render: (row) => <NameNote server={row} privileged={privileged} />,
      icon: ({ cloud_provider: provider }) => <ServerMark provider={provider} />,
    },
    { field: favoriteField, label: valueText('star.column') },
    { field: 'status' },
    {
      field: 'name',
      label: t('servers.sites_column'),
      right: true,
      card: true,
      unsortable: true,
      render: ({ name }) => (sites ? formatNumber(sites.get(name) ?? 0) : <Skeleton className="ml-auto h-3 w-4" />),
    },
    { field: 'server_category', from: 'desktop' },
    // Off, because it is below the name.
    { field: 'cloud_provider', off: true },
    {
      field: 'cpu',
      from: 'desktop',
      also: privileged ? ['cpu_percent', 'metrics_at'] : [],
      render: ({ cpu, cpu_percent: percent, metrics_at: at }) => (
        <UsageCell
          {...{ percent, at }}
          label={t('servers.cpu_label')}
          capacity={typeof cpu === 'number' ? t('servers.cores', { count: cpu }) : ''}
        />
      ),
    },
    {
      field: 'ram',
      card: true,
      also: privileged ? ['memory_percent', 'metrics_at'] : [],
      render: ({ ram, memory_percent: percent, metrics_at: at }) => (
        <UsageCell {...{ percent, at }} label={t('servers.ram_label')} capacity={formatBytes(ram)} />
      ),
    },
    {
      field: 'disk',
      label: t('servers.disk'),
      also: privileged ? ['disk_free', 'disk_percent', 'metrics_at'] : [],
      card: true,
      render: (row) => {
        const fraction = diskUsage(row)
        const percent = fraction === null ? null : fraction * 100
        const at = typeof row.disk_percent === 'number' ? row.metrics_at : null
        return <UsageCell {...{ percent, at }} label={t('servers.disk_label')} capacity={formatBytes(row.disk)} />
      },
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
        address ? (
          <span className="inline-flex items-center gap-1 font-mono text-meta">
            {address}
            <CopyButton value={address} />
          </span>
        ) : (
          <Nothing />
        ),
    },
    {
      field: 'pending_updates',
      label: t('servers.updates'),
      also: ['security_updates'],
      from: 'desktop',
      render: (row) => <UpdatesCell security={row.security_updates} all={row.pending_updates} />,
    },
    { field: '_owner', off: true },
    { field: 'creation', off: true },
  ]
}
