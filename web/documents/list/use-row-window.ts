import { startTransition, useEffect, useLayoutEffect, useState, type RefObject } from 'react'

/** From how many rows on only those near the screen are drawn. */
export const windowedFrom = 100

/** Rows drawn above and below the screen. */
const overscan = 8
/** The window moves in steps, so that scrolling a little draws nothing. */
const step = 4
/** Height of a row in px until one was measured. */
const usualHeight = 45

/** Rows that are drawn: `from` inclusive, `to` exclusive, with the height one row has. */
export interface RowWindow {
  readonly from: number
  readonly to: number
  readonly height: number
}

/** The window for what is scrolled: `above` px of the rows are over the top of a screen `screen` px high. */
export function windowAt(above: number, screen: number, height: number, count: number): Omit<RowWindow, 'height'> {
  const first = Math.floor(Math.max(0, above) / height)
  const last = Math.ceil(Math.max(0, above + screen) / height)
  const from = Math.max(0, Math.floor((first - overscan) / step) * step)
  const to = Math.min(count, Math.ceil((last + overscan) / step) * step)
  return { from: Math.min(from, Math.max(0, count - 1)), to: Math.max(to, Math.min(count, step)) }
}

/**
 * Parts to draw: runs of rows, and gaps (in rows) between them. A row outside the window that must stay (it has the
 * focus) is a run of its own.
 */
export function windowParts(
  { from, to }: Pick<RowWindow, 'from' | 'to'>,
  count: number,
  pinned: number,
): ({ readonly gap: number; readonly at: number } | { readonly row: number })[] {
  const rows = new Set(Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at))
  if (pinned >= 0 && pinned < count) rows.add(pinned)
  const parts: ({ gap: number; at: number } | { row: number })[] = []
  let next = 0
  for (const row of [...rows].toSorted((a, b) => a - b)) {
    if (row > next) parts.push({ gap: row - next, at: next })
    parts.push({ row })
    next = row + 1
  }
  if (next < count) parts.push({ gap: count - next, at: next })
  return parts
}

/** Which of many rows of equal height in `body` are drawn now; null when there are few and all are. */
export function useRowWindow(body: RefObject<HTMLElement | null>, count: number): RowWindow | null {
  const enabled = count >= windowedFrom
  const [state, setState] = useState<RowWindow>({ from: 0, to: 32, height: usualHeight })

  useLayoutEffect(() => {
    const row = enabled ? body.current?.querySelector<HTMLElement>('[data-row]') : null
    const height = row?.offsetHeight ?? 0
    if (height > 0) setState((before) => (before.height === height ? before : { ...before, height }))
  }, [body, enabled, count])

  useEffect(() => {
    if (!enabled) return
    let frame = 0
    const look = () => {
      frame = 0
      const box = body.current?.getBoundingClientRect()
      if (!box) return
      // As a transition: rows are drawn in small portions, the scrolling goes on meanwhile.
      startTransition(() =>
        setState((before) => {
          const next = windowAt(-box.top, innerHeight, before.height, count)
          return next.from === before.from && next.to === before.to ? before : { ...before, ...next }
        }),
      )
    }
    const soon = () => {
      frame ||= requestAnimationFrame(look)
    }
    soon()
    // In the capture phase: whichever box scrolls.
    document.addEventListener('scroll', soon, { capture: true, passive: true })
    addEventListener('resize', soon)
    return () => {
      cancelAnimationFrame(frame)
      document.removeEventListener('scroll', soon, { capture: true })
      removeEventListener('resize', soon)
    }
  }, [body, enabled, count])

  return enabled ? { ...state, to: Math.min(state.to, count) } : null
}
