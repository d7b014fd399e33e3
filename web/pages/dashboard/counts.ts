import type { FilterTriple } from '#shared/doctype.ts'
import { listHref } from '#web/documents/list/list-href.ts'

/** How many documents have a value; null: they have none. */
export interface Counted {
  readonly value: string | null
  readonly n: number
}

/** One line of a widget. `rest`: all values beyond those shown, together. */
export interface Bar {
  readonly key: string
  readonly kind: 'value' | 'unset' | 'rest'
  /** The stored value of a line of kind `value`. */
  readonly value: string
  readonly n: number
  /** The list of exactly the documents it counts. */
  readonly href: string
}

/** Values of one widget that get a line of their own. */
export const mostBars = 6

/** Rows of a grouped request. */
export function countedRows(rows: readonly Readonly<Record<string, unknown>>[], field: string): Counted[] {
  return rows.map((row) => {
    const value = row[field]
    return { value: typeof value === 'string' && value !== '' ? value : null, n: Number(row['n']) }
  })
}

/** How many there are in all, or of these values alone. */
export function countOf(rows: readonly Counted[], values?: readonly string[]): number {
  const meant = values ? rows.filter(({ value }) => value !== null && values.includes(value)) : rows
  return meant.reduce((sum, row) => sum + row.n, 0)
}

/**
 * Lines of a widget, the largest first, and what is beyond `most` as one. Each leads to the list at `path` with `filters`
 * (those of the same field give way) and its own value.
 */
export function barsOf(
  rows: readonly Counted[],
  {
    field,
    filters,
    path,
    most = mostBars,
  }: { field: string; filters: readonly FilterTriple[]; path: string; most?: number },
): Bar[] {
  const sorted = rows.toSorted((a, b) => b.n - a.n || (a.value ?? '').localeCompare(b.value ?? ''))
  // One value beyond takes the line itself: "others" would say less in the same room.
  const shown = sorted.length > most + 1 ? sorted.slice(0, most) : sorted
  const others = filters.filter(([name]) => name !== field)
  const same = filters.filter(([name]) => name === field)
  const bars: Bar[] = shown.map(({ value, n }) => ({
    key: value ?? '',
    kind: value === null ? 'unset' : 'value',
    value: value ?? '',
    n,
    href: listHref(path, [...others, [field, '=', value ?? '']]),
  }))
  const rest = sorted.slice(shown.length)
  if (rest.length === 0) return bars
  return [
    ...bars,
    {
      key: ' rest',
      kind: 'rest',
      value: '',
      n: rest.reduce((sum, row) => sum + row.n, 0),
      href: listHref(path, [...others, ...same, [field, 'not in', shown.map(({ value }) => value ?? '')]]),
    },
  ]
}
