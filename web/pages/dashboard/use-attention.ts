import { unhealthyServerStatuses } from '#shared/doctypes/server.ts'
import { dashboardLists, down, inUse, modified, unwell } from './dashboard-lists.ts'
import type { ApiError } from '#web/lib/api/api-error.ts'
import { useCount, useSmallList } from '#web/lib/api/frappe.tsx'
import { sessionRoles, useSession } from '#web/lib/session/session.tsx'
import { attentionItems, criticalDiskUsage, type AttentionCounts, type AttentionItem } from './attention.ts'
import { countOf } from './counts.ts'
import { useCounted } from './use-counted.ts'

/** Filter of the list behind the card. */
export const suspended = [['status', '=', 'Suspended']] as const

/** What needs attention, live. */
export interface Attention {
  items: readonly AttentionItem[] | undefined
  counts: AttentionCounts | undefined
  error: ApiError | null
  reload: () => void
}

/** Loads what needs attention; servers only if their module is on. */
export function useAttention(servers: boolean): Attention {
  const { admin, manager, owner } = sessionRoles(useSession())
  const sites = [
    useSmallList(...dashboardLists.stoppedSites),
    useSmallList(...dashboardLists.downSites),
    useSmallList(...dashboardLists.modifiedSites),
    useSmallList(...dashboardLists.unwellSites),
  ]
  const measured = servers && (admin || manager || owner)
  const plain = useSmallList(servers && !measured ? 'Server' : null, dashboardLists.unhealthyServers[1])
  const explained = useSmallList(measured ? 'Server' : null, dashboardLists.unhealthyServersWithReason[1])
  const machines = measured ? explained : plain
  const fullest = dashboardLists.fullestServers
  const least = useSmallList(measured ? fullest[0] : null, fullest[1])
  const siteCounts = useCounted('Site', 'status', []).rows
  const serverCounts = useCounted(servers ? 'Server' : null, 'status', inUse).rows
  // Total counts, beyond the items shown.
  const downCount = useCount('Site', { filters: down }).data
  const modifiedCount = useCount('Site', { filters: modified }).data
  const unwellCount = useCount('Site', { filters: unwell }).data
  const all = [...sites, ...(servers ? [machines] : []), ...(measured ? [least] : [])]
  const full = (least.data ?? []).filter((server) => criticalDiskUsage(server) !== null)
  const ready = all.every(({ data }) => data !== undefined)
  const counted =
    downCount !== undefined &&
    modifiedCount !== undefined &&
    unwellCount !== undefined &&
    siteCounts &&
    (!servers || serverCounts) &&
    ready
  return {
    items: ready
      ? attentionItems(
          sites.flatMap(({ data }) => data ?? []),
          [...(machines.data ?? []), ...full],
        )
      : undefined,
    counts: counted
      ? {
          down: downCount,
          failed: countOf(siteCounts, ['Failed']),
          modified: modifiedCount,
          unwell: unwellCount,
          suspended: countOf(siteCounts, ['Suspended']),
          servers: countOf(serverCounts ?? [], unhealthyServerStatuses) + full.length,
        }
      : undefined,
    error: all.find(({ error }) => error)?.error ?? null,
    reload: () => {
      for (const one of all) void one.reload()
    },
  }
}
