import { useMemo } from 'react'
import { useClient, useLoaded } from '#web/lib/frappe.tsx'
import { useListEvents } from '#web/lib/use-events.ts'

/** Most rows of one answer. */
export const mostRows = 500

interface Counted {
  server: string
  n: number
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

/**
 * How many sites stand on each server, those in the archive left out, live; null until it is known. Of every server: one
 * that is missing here has none.
 */
export function useSiteCounts(): ReadonlyMap<string, number> | null {
  const { call } = useClient()
  const loaded = useLoaded<Counted[]>('sites by server', () =>
    inParts(async (start) => {
      const answer = await call.get<{ message: Counted[] | undefined }>('frappe.client.get_list', {
        doctype: 'Site',
        fields: JSON.stringify(['server', 'count(name) as n']),
        filters: JSON.stringify([['status', '!=', 'Archived']]),
        group_by: 'server',
        order_by: 'server asc',
        limit_start: start,
        limit_page_length: mostRows,
      })
      return answer.message ?? []
    }),
  )
  useListEvents('Site', () => void loaded.reload())
  const { data } = loaded
  return useMemo(() => (data ? new Map(data.map(({ server, n }) => [server, n])) : null), [data])
}
