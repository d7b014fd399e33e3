import { defaultRangeExtractor, useWindowVirtualizer } from '@tanstack/react-virtual'
import { useLayoutEffect, useState, type RefObject } from 'react'

/** From how many rows on only those near the screen are drawn. */
export const windowedFrom = 100

/** Rows drawn above and below the screen. */
const overscan = 8
/** Height of a row in px until it was measured. */
const usualHeight = 45

/** What is drawn of many rows: a row by its place in the list, or the room (px) of rows that are not drawn. */
export type RowPart = { readonly row: number; readonly key: string } | { readonly gap: number; readonly key: string }

/** What of many rows in `body` is drawn now, and how a drawn row is measured. */
export interface RowWindow {
  readonly parts: readonly RowPart[]
  readonly measure: (row: HTMLElement | null) => void
}

/**
 * Which of many rows in `body` are drawn now, while the page scrolls; null when there are few and all are. `pinned` is the
 * place of a row that stays wherever the page is (it has the focus); -1 for none.
 */
export function useRowWindow(body: RefObject<HTMLElement | null>, count: number, pinned: number): RowWindow | null {
  const enabled = count >= windowedFrom
  const [scrollMargin, setScrollMargin] = useState(0)
  useLayoutEffect(() => {
    const box = enabled ? body.current?.getBoundingClientRect() : null
    if (box) setScrollMargin(box.top + scrollY)
  }, [body, enabled, count])
  // It is one object that changes: the compiler remembers nothing of this hook, nor of the table that draws its parts.
  // oxlint-disable-next-line react/incompatible-library
  const virtualizer = useWindowVirtualizer<HTMLElement>({
    count,
    enabled,
    overscan,
    scrollMargin,
    estimateSize: () => usualHeight,
    rangeExtractor: (range) => {
      const rows = defaultRangeExtractor(range)
      return pinned < 0 || rows.includes(pinned) ? rows : [...rows, pinned].toSorted((a, b) => a - b)
    },
    // Rows are drawn in small portions, the scrolling goes on meanwhile.
    useFlushSync: false,
  })
  if (!enabled) return null
  const parts: RowPart[] = []
  let drawnTo = scrollMargin
  for (const item of virtualizer.getVirtualItems()) {
    if (item.start > drawnTo) parts.push({ gap: item.start - drawnTo, key: `before ${item.index}` })
    parts.push({ row: item.index, key: String(item.key) })
    drawnTo = item.end
  }
  const end = scrollMargin + virtualizer.getTotalSize()
  if (end > drawnTo) parts.push({ gap: end - drawnTo, key: 'after' })
  return { parts, measure: virtualizer.measureElement }
}
