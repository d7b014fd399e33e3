import type { FilterTriple } from '#shared/doctype.ts'
import { sitesDown, sitesFailed, wpcSiteAttention } from '#shared/rules/site-attention.ts'
import { useServerProblems } from '#web/features/servers/use-server-problems.ts'
import { useSiteProblems } from '#web/features/sites/use-site-problems.ts'
import { dashboardLists, maxItems, modified, suspended, unwell } from './dashboard-lists.ts'
import type { ApiError } from '#web/lib/api/api-error.ts'
import { useCount, useSmallList } from '#web/lib/api/frappe.tsx'
import { sessionRoles, useSession, type Session } from '#web/lib/session/session.tsx'
import type { AttentionCounts } from './attention-counts.ts'
import { attentionItems, criticalDiskUsage, type AttentionItem } from './attention.ts'
import { useCounted } from './use-counted.ts'

/** What needs attention, live. */
export interface Attention {
  items: readonly AttentionItem[] | undefined
  counts: AttentionCounts | undefined
  error: ApiError | null
  reload: () => void
}

/**
 * Sites by the reason of their problem, all of them and not only those that the card has `read`; empty if it has all of them, or
 * if that failed.
 */
function useReasons(
  read: readonly unknown[] | undefined,
  filters: readonly FilterTriple[],
): ReadonlyMap<string, number> | undefined {
  const isCut = read && read.length >= maxItems
  const { rows, error } = useCounted(isCut ? 'Site' : null, 'failure_reason', filters)
  if (!rows || !isCut) return error || isCut === false ? new Map() : undefined
  return new Map(rows.flatMap(({ value, n }) => (value === null ? [] : [[value, n] as const])))
}

/** Loads what needs attention; servers and sites at WP Cloud only if their modules are on. */
export function useAttention({ ee: servers, wpc }: Session['modules']): Attention {
  const { privileged } = sessionRoles(useSession())
  const stoppedSites = useSmallList(...dashboardLists.stoppedSites)
  const downSites = useSmallList(...dashboardLists.downSites)
  const sites = [
    stoppedSites,
    downSites,
    useSmallList(...dashboardLists.modifiedSites),
    useSmallList(...dashboardLists.unwellSites),
  ]
  const measured = servers && privileged
  const plain = useSmallList(servers && !measured ? 'Server' : null, dashboardLists.unhealthyServers[1])
  const explained = useSmallList(measured ? 'Server' : null, dashboardLists.unhealthyServersWithReason[1])
  const machines = measured ? explained : plain
  const fullest = dashboardLists.fullestServers
  const least = useSmallList(measured ? fullest[0] : null, fullest[1])
  const wpcSites = useSmallList(wpc ? 'WPC Site' : null, dashboardLists.wpcSites[1])
  const wpcCount = useCount(wpc ? 'WPC Site' : null, { filters: wpcSiteAttention })
  // Total counts, beyond the items shown.
  const siteProblems = useSiteProblems()
  const serverProblems = useServerProblems(servers)
  const suspendedCount = useCount('Site', { filters: suspended }).data
  const whyFailed = useReasons(stoppedSites.data, sitesFailed)
  const whyDown = useReasons(downSites.data, sitesDown)
  const whySuspended = useReasons(stoppedSites.data, suspended)
  // An item must not turn into one of many while it is read.
  const reasons = whyFailed && whyDown && whySuspended && { failed: whyFailed, down: whyDown, suspended: whySuspended }
  const modifiedCount = useCount('Site', { filters: modified }).data
  const unwellCount = useCount('Site', { filters: unwell }).data
  const all = [...sites, ...(servers ? [machines] : []), ...(measured ? [least] : []), ...(wpc ? [wpcSites] : [])]
  const full = (least.data ?? []).filter((server) => criticalDiskUsage(server) !== null)
  const ready = all.every(({ data }) => data !== undefined)
  const { attention: sitesAttention, down: downCount, failed: failedCount } = siteProblems
  return {
    items:
      ready && reasons
        ? attentionItems(
            sites.flatMap(({ data }) => data ?? []),
            [...(machines.data ?? []), ...full],
            reasons,
            wpcSites.data ?? [],
          )
        : undefined,
    counts:
      ready &&
      sitesAttention !== undefined &&
      downCount !== undefined &&
      failedCount !== undefined &&
      modifiedCount !== undefined &&
      unwellCount !== undefined &&
      suspendedCount !== undefined &&
      (!servers || serverProblems.attention !== undefined) &&
      (!wpc || wpcCount.data !== undefined)
        ? {
            sites: sitesAttention,
            down: downCount,
            failed: failedCount,
            modified: modifiedCount,
            unwell: unwellCount,
            suspended: suspendedCount,
            servers: serverProblems.attention ?? 0,
            full: full.length,
            wpc: wpcCount.data ?? 0,
          }
        : undefined,
    error: all.find(({ error }) => error)?.error ?? siteProblems.error ?? serverProblems.error ?? wpcCount.error,
    reload: () => {
      for (const one of all) void one.reload()
    },
  }
}
