import { useEffect, useRef, type RefObject } from 'react'

/**
 * For a row that may be wider than the screen: scrolls what `selector` finds in it into view, at first, when `current` changes, and
 * when the phone is rotated, without scrolling the page.
 */
export function useOpenInView(selector: string, current?: string): RefObject<HTMLDivElement | null> {
  const row = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const outer = row.current
    if (!outer) return
    const show = (): void => {
      const open = outer.querySelector(selector)
      if (!open || outer.scrollWidth <= outer.clientWidth) return
      const [around, inner] = [outer.getBoundingClientRect(), open.getBoundingClientRect()]
      outer.scrollLeft += inner.left - around.left - (around.width - inner.width) / 2
    }
    const widths = new ResizeObserver(show)
    widths.observe(outer)
    return () => widths.disconnect()
  }, [selector, current])
  return row
}
