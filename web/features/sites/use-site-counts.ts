import { useMemo } from 'react'
import { readList, useLoaded } from '#web/lib/api/frappe.tsx'
import { useListEvents } from '#web/lib/api/use-events.ts'

/** Most rows of one answer. */
export const mostRows = 500

interface Counted {
  server: string | null
  n: number
}

/** Sites on each server, and whether they could not be counted. */
export interface SiteCounts {
  /** By server, the fullest first, of every server: one that is missing here has none. Null until it is known. */
  readonly counts: ReadonlyMap<string, number> | null
  readonly failed: boolean
}

/** All parts of an answer that comes in parts of `mostRows`, one after the other. Throws what `read` throws. */
export async function inParts<Row>(read: (start: number) => Promise<readonly Row[]>): Promise<Row[]> {
  const rows: Row[] = []
  for (;;) {
    const part = await read(rows.length)
    rows.push(...part)
    if (part.length < mostRows) return rows
  }
}

/** Rows of a grouped answer by their server, the fullest first; sites whose server nobody may see are on none. */
export function byServer(rows: readonly Counted[]): Map<string, number> {
  const known = rows.flatMap(({ server, n }) => (server === null ? [] : [[server, n] as const]))
  return new Map(known.toSorted(([, a], [, b]) => b - a))
}

/** How many sites stand on each server, those in the archive left out, live. Nothing is read unless `wanted`. */
export function useSiteCounts(wanted = true): SiteCounts {
  const loaded = useLoaded<Counted[]>(wanted ? ['sites by server'] : null, () =>
    inParts((start) =>
      readList<Counted>('Site', {
        fields: ['server', 'count(name) as n'],
        filters: [['status', '!=', 'Archived']],
        group_by: 'server',
        order_by: 'server asc',
        start,
        limit: mostRows,
      }),
    ),
  )
  useListEvents(wanted ? 'Site' : null, () => void loaded.reload())
  const { data } = loaded
  const counts = useMemo(() => (data ? byServer(data) : null), [data])
  return { counts, failed: loaded.error !== null && !data }
}
