import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import { CopyButton } from '#web/ui/copy-button.tsx'
import { Nothing } from '#web/documents/values/cells.tsx'
import type { RowOf } from '#web/lib/api/list-rows.ts'
import { withCells, type ListCells, type ListColumn } from '#web/documents/list/list-columns.ts'
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
import { serverListColumns } from './servers-early-reads.ts'

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

/** The words and cells of the columns. `sites`: see `serverColumns`. */
const cells = (
  privileged: boolean,
  sites: ReadonlyMap<string, number> | null,
): ListCells<RowOf<Server>, keyof Server> => ({
  hostname: {
    label: t('servers.server'),
    render: (row) => <NameNote server={row} privileged={privileged} />,
    icon: ({ cloud_provider: provider }) => <ServerMark provider={provider} />,
  },
  [favoriteField]: { label: valueText('star.column') },
  name: {
    label: t('servers.sites_column'),
    render: ({ name }) => (sites ? formatNumber(sites.get(name) ?? 0) : <Skeleton className="ml-auto h-3 w-4" />),
  },
  cpu: {
    render: ({ cpu, cpu_percent: percent, metrics_at: at }) => (
      <UsageCell
        {...{ percent, at }}
        label={t('servers.cpu_label')}
        capacity={typeof cpu === 'number' ? t('servers.cores', { count: cpu }) : ''}
      />
    ),
  },
  ram: {
    render: ({ ram, memory_percent: percent, metrics_at: at }) => (
      <UsageCell {...{ percent, at }} label={t('servers.ram_label')} capacity={formatBytes(ram)} />
    ),
  },
  disk: {
    label: t('servers.disk'),
    render: (row) => {
      const fraction = diskUsage(row)
      const percent = fraction === null ? null : fraction * 100
      const at = typeof row.disk_percent === 'number' ? row.metrics_at : null
      return <UsageCell {...{ percent, at }} label={t('servers.disk_label')} capacity={formatBytes(row.disk)} />
    },
  },
  public_ipv4: {
    label: t('servers.ipv4'),
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
  pending_updates: {
    label: t('servers.updates'),
    render: (row) => <UpdatesCell security={row.security_updates} all={row.pending_updates} />,
  },
})

/** Columns of the server list. `sites`: number of sites per server name; null while loading. */
export const serverColumns = (
  privileged: boolean,
  sites: ReadonlyMap<string, number> | null,
): readonly ListColumn<RowOf<Server>, keyof Server>[] =>
  withCells(serverListColumns(privileged), cells(privileged, sites))
