import type { FilterTriple } from '#shared/doctype.ts'
import { listHref } from '#web/documents/query/list-href.ts'

/** Number of documents with a value; null: without one. */
export interface Counted {
  readonly value: string | null
  readonly n: number
}

/** A bar of a widget. `rest`: all values beyond those shown, combined. */
export interface Bar {
  readonly key: string
  readonly kind: 'value' | 'unset' | 'rest'
  /** Stored value of a bar of kind `value`. */
  readonly value: string
  readonly n: number
  /** URL of the list of exactly the counted documents. */
  readonly href: string
}

/** Maximum values with their own bar. */
export const maxBars = 6

/** Parses the rows of a grouped request. */
export function countedRows(rows: readonly Readonly<Record<string, unknown>>[], field: string): Counted[] {
  return rows.map((row) => {
    const value = row[field]
    return { value: typeof value === 'string' && value !== '' ? value : null, n: Number(row['n']) }
  })
}

/** Total count, or the count of the given values. */
export function countOf(rows: readonly Counted[], values?: readonly string[]): number {
  const included = values ? rows.filter(({ value }) => value !== null && values.includes(value)) : rows
  return included.reduce((sum, row) => sum + row.n, 0)
}

/**
 * Bars of a widget, largest first; those beyond `most` are combined. Each links to the list at `path` with `filters` (except
 * those of the same field) and its value.
 */
export function barsOf(
  rows: readonly Counted[],
  {
    field,
    filters,
    path,
    most = maxBars,
  }: { field: string; filters: readonly FilterTriple[]; path: string; most?: number },
): Bar[] {
  const sorted = rows.toSorted((a, b) => b.n - a.n || (a.value ?? '').localeCompare(b.value ?? ''))
  // A single remaining value gets its own bar: "others" would take the same space and say less.
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
