import { defaultRangeExtractor, measureElement, useWindowVirtualizer } from '@tanstack/react-virtual'
import { useDeferredValue, useEffect, useState, type RefObject } from 'react'

/** Number of rows from which a list is virtualized. */
const minWindowedRows = 100

/** Extra rows rendered above and below the screen. */
const overscan = 8
/** Estimated row height in px until measured. */
const usualHeight = 45

/** A part of a virtualized list: a row by its index, or a gap (px) for rows that are not rendered. */
export type RowPart = { readonly row: number; readonly key: string } | { readonly gap: number; readonly key: string }

/** The rendered parts of `body`, and how a row is measured. */
export interface RowWindow {
  readonly parts: readonly RowPart[]
  readonly measure: (row: HTMLElement | null) => void
}

/**
 * Virtualizes the rows in `body` as the page scrolls; null if there are few enough to render all. `pinned` tells the index of
 * a row that always stays rendered (it has the focus); -1 for none.
 */
export function useRowWindow(
  body: RefObject<HTMLElement | null>,
  count: number,
  pinned: () => number,
): RowWindow | null {
  // The virtualizer is one mutable object. The compiler knows that of `useVirtualizer` only and would keep the first parts.
  'use no memo'
  const enabled = count >= minWindowedRows
  // The first render draws what the screen probably shows, the rows around it come after they are painted.
  const [scrollMargin, setScrollMargin] = useState(innerHeight / 3)
  const around = useDeferredValue(overscan, 0)
  // Once they are painted, like the heights of rows: a change before that would draw them twice until anything is seen.
  useEffect(() => {
    const box = enabled ? body.current?.getBoundingClientRect() : null
    if (box) setScrollMargin(box.top + scrollY)
  }, [body, enabled, count])
  // oxlint-disable-next-line react/incompatible-library
  const virtualizer = useWindowVirtualizer<HTMLElement>({
    count,
    enabled,
    overscan: around,
    scrollMargin,
    // The first render knows how many rows the screen has; otherwise none are drawn until it was laid out.
    initialRect: { width: innerWidth, height: innerHeight },
    estimateSize: () => usualHeight,
    measureElement: (row, entry, rows) =>
      entry === undefined
        ? (rows.itemSizeCache.get(rows.options.getItemKey(rows.indexFromElement(row))) ?? usualHeight)
        : measureElement(row, entry, rows),
    rangeExtractor: (range) => {
      const rows = defaultRangeExtractor(range)
      const kept = pinned()
      return kept < 0 || rows.includes(kept) ? rows : [...rows, kept].toSorted((a, b) => a - b)
    },
    // Asynchronous rendering keeps scrolling smooth.
    useFlushSync: false,
  })
  if (!enabled) return null
  const parts: RowPart[] = []
  let renderedTo = scrollMargin
  for (const item of virtualizer.getVirtualItems()) {
    if (item.start > renderedTo) parts.push({ gap: item.start - renderedTo, key: `before ${item.index}` })
    parts.push({ row: item.index, key: String(item.key) })
    renderedTo = item.end
  }
  const end = scrollMargin + virtualizer.getTotalSize()
  if (end > renderedTo) parts.push({ gap: end - renderedTo, key: 'after' })
  return { parts, measure: virtualizer.measureElement }
}
