import { useEffect, useEffectEvent, useLayoutEffect, useState, type RefObject } from 'react'

/** What of a column decides whether it has room. */
export interface FittingColumn {
  readonly id?: string
  /** `leaves`: those with the highest number leave first; columns without one always stay. */
  readonly meta?: { readonly leaves?: number | undefined }
}

interface Missing {
  /** The columns that were to be shown, the rows whose values were too wide, and the width they were given. */
  readonly of: string
  readonly rows: unknown
  readonly width: number
  readonly ids: ReadonlySet<string>
}

const none: ReadonlySet<string> = new Set()
const nothingMissing: Missing = { of: '', rows: null, width: 0, ids: none }

/**
 * More than a scrollbar: without the columns that left, rows may get lower, the page's scrollbar goes and the table is wider
 * again. That is no room for another column.
 */
const scrollbar = 32

/** The columns to leave out, so that a table is narrower by `excess` pixels. */
export function leavingColumns(
  columns: readonly FittingColumn[],
  widths: readonly number[],
  excess: number,
): readonly string[] {
  const candidates = columns
    .flatMap(({ id, meta }, at) => {
      const leaves = meta?.leaves
      return id !== undefined && leaves !== undefined ? [{ id, leaves, width: widths[at] ?? 0 }] : []
    })
    .toSorted((a, b) => b.leaves - a.leaves)
  const leaving: string[] = []
  let left = excess
  for (const { id, width } of candidates) {
    if (left <= 0) break
    leaving.push(id)
    left -= width
  }
  return leaving
}

/**
 * The columns that have room in `box`, whose table they are the columns of: a list is never wider than its card, where the end of
 * its rows, their menu, would be out of sight. No breakpoint knows how wide the values are, so other rows are measured before the
 * browser paints them. Later only a table that has become too wide is: scrolling to wider values, for example.
 */
export function useFittingColumns<C extends FittingColumn>(
  box: RefObject<HTMLElement | null>,
  columns: readonly C[],
  rows: unknown,
): readonly C[] {
  const of = columns.map(({ id }) => id).join(' ')
  const [missing, setMissing] = useState(nothingMissing)
  // Shorter values may have room for all.
  const ids = missing.of === of && missing.rows === rows ? missing.ids : none
  const fitting = ids.size === 0 ? columns : columns.filter(({ id = '' }) => !ids.has(id))
  const measure = useEffectEvent(() => {
    const table = box.current?.querySelector('table')
    if (!box.current || !table) return
    const width = box.current.clientWidth
    if (ids.size > 0 && width > missing.width + scrollbar) {
      setMissing(nothingMissing)
      return
    }
    const excess = table.offsetWidth - width
    if (excess <= 1) return
    const heads = [...(table.tHead?.rows[0]?.cells ?? [])]
    const leaving = leavingColumns(
      fitting,
      heads.map((head) => head.offsetWidth),
      excess,
    )
    if (leaving.length > 0) setMissing({ of, rows, width, ids: new Set([...ids, ...leaving]) })
  })
  // It ends, because columns only leave.
  useLayoutEffect(() => measure(), [of, rows, ids])
  useEffect(() => {
    const table = box.current?.querySelector('table')
    if (!box.current || !table) return
    const observer = new ResizeObserver(() => measure())
    observer.observe(box.current)
    observer.observe(table)
    return () => observer.disconnect()
  }, [box])
  return fitting
}
