import { useEffect, useLayoutEffect, useReducer, useState, type RefObject } from 'react'

/** What of a column decides whether it has room. */
export interface FittingColumn {
  readonly id?: string
  /** `leaves`: those with the highest number leave first; columns without one always stay. */
  readonly meta?: { readonly leaves?: number | undefined }
}

interface Missing {
  /** The columns that were to be shown, and the width they were given. */
  readonly of: string
  readonly width: number
  readonly ids: ReadonlySet<string>
}

const nothingMissing: Missing = { of: '', width: 0, ids: new Set() }

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
 * The columns that have room in `box`, whose table they are the columns of: a list is never wider than its card, where the end of its rows, their
 * menu, would be out of sight. Measured before the browser paints, as no breakpoint knows how wide the values are.
 */
export function useFittingColumns<C extends FittingColumn>(
  box: RefObject<HTMLElement | null>,
  columns: readonly C[],
): readonly C[] {
  const of = columns.map(({ id }) => id).join(' ')
  const [missing, setMissing] = useState(nothingMissing)
  const [, measureAgain] = useReducer((times: number) => times + 1, 0)
  const known = missing.of === of ? missing : nothingMissing
  const fitting = known.ids.size === 0 ? columns : columns.filter(({ id = '' }) => !known.ids.has(id))
  useEffect(() => {
    if (!box.current) return
    const observer = new ResizeObserver(measureAgain)
    observer.observe(box.current)
    return () => observer.disconnect()
  }, [box])
  // After each render: any new value may be wider than those before. It ends, because columns only leave.
  // oxlint-disable-next-line react/exhaustive-deps
  useLayoutEffect(() => {
    const table = box.current?.querySelector('table')
    if (!box.current || !table) return
    const width = box.current.clientWidth
    if (known.ids.size > 0 && width > known.width + scrollbar) {
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
    if (leaving.length > 0) setMissing({ of, width, ids: new Set([...known.ids, ...leaving]) })
  })
  return fitting
}
