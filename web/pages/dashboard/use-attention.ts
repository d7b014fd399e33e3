import type { ApiError } from '#web/lib/api-error.ts'
import { useCount, useList } from '#web/lib/frappe.tsx'
import { useSecondLine } from '#web/lib/second-line.ts'
import { sessionRoles, useSession } from '#web/lib/session.tsx'
import {
  attentionItems,
  fullDisk,
  type AttentionCounts,
  type AttentionItem,
  type AttentionServer,
  type AttentionSite,
} from './attention.ts'
import { countOf } from './counts.ts'
import { inUse, useCounted } from './use-counted.ts'

/** More trouble than this is a list, not a card. */
export const mostItems = 50

const stopped = ['status', 'in', ['Failed', 'Suspended']] as const
/** Condition of the list behind the card. */
export const failed = [['status', '=', 'Failed']] as const
/** Condition of the list behind the card. */
export const suspended = [['status', '=', 'Suspended']] as const
/** Condition of the list behind the card. */
export const down = [
  ['status', '=', 'Live'],
  ['health', '=', 'Down'],
] as const
/** Condition of the list behind the card. */
export const modified = [
  ['status', '=', 'Live'],
  ['health', '!=', 'Down'],
  ['wordpress_checksum', '=', 'Modified'],
] as const
const unhealthyStatuses = ['Degraded', 'Disconnected', 'Failed']
const unhealthy = [['status', 'in', unhealthyStatuses]] as const

/** What needs a look, live. */
export interface Attention {
  items: readonly AttentionItem[] | undefined
  counts: AttentionCounts | undefined
  error: ApiError | null
  reload: () => void
}

const siteFields = [
  'name',
  'domain',
  'status',
  'health',
  'failure_reason',
  'modified',
  'health_checked_at',
  'wordpress_checksum',
] as const
const serverFields = ['name', 'owner', 'hostname', 'status', 'modified', 'locked_by_job'] as const

function useSites(filters: typeof down | typeof modified | readonly [typeof stopped]) {
  return useList<AttentionSite>('Site', {
    fields: siteFields,
    filters,
    order_by: 'modified asc',
    limit: mostItems,
  })
}

/** Reads what needs a look; servers only where the module is on. */
export function useAttention(servers: boolean): Attention {
  const { admin, manager, owner } = sessionRoles(useSession())
  const sites = [useSites([stopped]), useSites(down), useSites(modified)]
  const machines = useList<AttentionServer>(servers ? 'Server' : null, {
    fields: serverFields,
    filters: unhealthy,
    limit: mostItems,
  })
  // Members do not read how full a disk is.
  const measured = servers && (admin || manager || owner)
  const least = useList<AttentionServer>(measured ? 'Server' : null, {
    fields: [...serverFields, 'disk', 'disk_free'],
    filters: [['status', '=', 'Healthy']],
    order_by: 'disk_free asc',
    limit: mostItems,
  })
  const siteCounts = useCounted('Site', 'status', []).rows
  const serverCounts = useCounted(servers ? 'Server' : null, 'status', inUse).rows
  // How many there are beyond those shown.
  const counting = useSecondLine() ? 'Site' : null
  const downCount = useCount(counting, { filters: down }).data
  const modifiedCount = useCount(counting, { filters: modified }).data
  const all = [...sites, ...(servers ? [machines] : []), ...(measured ? [least] : [])]
  const full = (least.data ?? []).filter((server) => fullDisk(server) !== null)
  const ready = all.every(({ data }) => data !== undefined)
  const counted =
    downCount !== undefined && modifiedCount !== undefined && siteCounts && (!servers || serverCounts) && ready
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
          suspended: countOf(siteCounts, ['Suspended']),
          servers: countOf(serverCounts ?? [], unhealthyStatuses) + full.length,
        }
      : undefined,
    error: all.find(({ error }) => error)?.error ?? null,
    reload: () => {
      for (const one of all) void one.reload()
    },
  }
}
