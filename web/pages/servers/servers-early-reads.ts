import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import type { ColumnOptions } from '#web/documents/list/list-columns.ts'
import { favoriteField } from '#web/documents/list/list-rows-request.ts'
import { readListEarly } from '#web/documents/list/read-list-early.ts'
import { unhealthyServers } from '#web/features/servers/use-server-problems.ts'
import type { CountOptions } from '#web/lib/api/data-keys.ts'
import type { Arrival } from '#web/lib/routing/route-match.ts'
import { sessionRoles, type Session } from '#web/lib/session/session.tsx'

/**
 * Columns of the list of servers, without their words and cells. Members can read only some of them
 * (tests/permissions/matrix.md), so the others are omitted for them.
 */
export const serverListColumns = (privileged: boolean) => {
  const own = <Field extends keyof Server>(...fields: Field[]) => (privileged ? fields : [])
  const privilegedColumns = [
    { field: 'public_ipv4', from: 'desktop' },
    { field: 'pending_updates', from: 'desktop', also: ['security_updates'] },
    { field: '_owner', off: true },
    { field: 'creation', off: true },
  ] as const
  return [
    {
      field: 'hostname',
      also: [
        'cloud_provider',
        'engine',
        ...own('vm_region', 'vm_country', 'failure_reason', 'failure_reason_i18n', 'failure_since', 'checked_at'),
      ],
    },
    { field: favoriteField },
    { field: 'status' },
    { field: 'name', right: true, card: true, unsortable: true },
    { field: 'server_category', from: 'desktop' },
    // Off, because it is below the name.
    { field: 'cloud_provider', off: true },
    { field: 'cpu', from: 'desktop', also: own('cpu_percent', 'metrics_at') },
    { field: 'ram', card: true, also: own('memory_percent', 'metrics_at') },
    { field: 'disk', card: true, also: own('disk_free', 'disk_percent', 'metrics_at') },
    ...(privileged ? privilegedColumns : []),
  ] as const satisfies readonly (ColumnOptions & { field: keyof Server })[]
}

/** Servers that are there. */
export const presentServers = [['status', '!=', 'Decommissioned']] as const

/** How many servers there are: exactly where the plan says how many there may be. Members see only some of those the plan counts. */
export const presentCount = ({ subscription }: Pick<Session, 'subscription'>, privileged: boolean): CountOptions => ({
  filters: presentServers,
  exact: privileged && (subscription?.limits.server ?? 0) > 0,
})

/** Maximum names listed in the summary; the value has the number. */
export const namedServers = 2

/** The worst servers, for the summary: failed, disconnected, degraded; the first one decides about the color. */
export const worstServers = {
  fields: ['name', 'hostname', 'status'] as const,
  filters: unhealthyServers,
  order_by: 'status desc',
  limit: namedServers + 1,
}

/** The disks of servers. If there are more than fit in one response, those with the least free space. */
export const serverDisks = {
  fields: ['hostname', 'disk', 'disk_free', 'disk_percent'] as const,
  filters: [...presentServers, ['disk_free', 'is', 'set']] as const,
  order_by: 'disk_free asc',
  limit: 0,
}

/** Starts what the list of servers shows first: its rows, and the summary above them. */
export function readServersEarly(arrival: Arrival): void {
  const { session } = arrival
  if (!session.modules.ee) return
  const { privileged } = sessionRoles(session)
  readListEarly(ServerDoctype, serverListColumns(privileged), arrival, {
    counts: [
      presentCount(session, privileged),
      { filters: unhealthyServers },
      ...(privileged ? [{ filters: presentServers, group_by: 'security_updates' }] : []),
    ],
    lists: [worstServers, ...(privileged ? [serverDisks] : [])],
  })
}
