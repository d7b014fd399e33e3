import { useMemo } from 'react'
import { sitesInUse } from '#shared/rules/site-attention.ts'
import { readSmallList } from '#web/lib/api/batched-reads.ts'
import { refetchIfChanged } from '#web/lib/api/data-client.ts'
import { useLoaded } from '#web/lib/api/frappe.tsx'
import { useListEvents } from '#web/lib/events/use-events.ts'

/** Maximum rows per response. */
export const maxRows = 500

interface Counted {
  server: string | null
  n: number
}

/** Number of sites per server, or whether counting failed. */
export interface SiteCounts {
  /** By server, highest first; servers without sites are missing. Null while loading. */
  readonly counts: ReadonlyMap<string, number> | null
  readonly failed: boolean
}

/** Reads all pages of `maxRows` rows, sequentially. Throws what `read` throws. */
export async function inParts<Row>(read: (start: number) => Promise<readonly Row[]>): Promise<Row[]> {
  const rows: Row[] = []
  for (;;) {
    const part = await read(rows.length)
    rows.push(...part)
    if (part.length < maxRows) return rows
  }
}

/** Grouped rows by server, highest first; skips sites whose server isn't visible. */
export function byServer(rows: readonly Counted[]): Map<string, number> {
  const known = rows.flatMap(({ server, n }) => (server === null ? [] : [[server, n] as const]))
  return new Map(known.toSorted(([, a], [, b]) => b - a))
}

const countsKey = ['sites by server']

/** Number of sites per server without archived ones, live. Reads nothing unless `wanted`. */
export function useSiteCounts(wanted = true): SiteCounts {
  const loaded = useLoaded<Counted[]>(wanted ? countsKey : null, () =>
    inParts((start) =>
      readSmallList<Counted>('Site', {
        fields: ['server', 'count(name) as n'],
        filters: sitesInUse,
        group_by: 'server',
        order_by: 'server asc',
        start,
        limit: maxRows,
      }),
    ),
  )
  useListEvents(wanted ? 'Site' : null, () => void refetchIfChanged(countsKey))
  const { data } = loaded
  const counts = useMemo(() => (data ? byServer(data) : null), [data])
  return { counts, failed: loaded.error !== null && !data }
}
