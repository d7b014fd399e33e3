import { useEffect } from 'react'

/** The first page keeps the browser's focus; only later ones move it. */
let arrivals = 0

/**
 * Rendered after the page, keyed by path: scrolls to the top and focuses the heading as soon as it exists, unless the user
 * has moved the focus in the meantime.
 */
export function RouteArrival() {
  useEffect(() => {
    window.scrollTo(0, 0)
    arrivals += 1
    if (arrivals === 1) return
    const focusHeading = (): boolean => {
      const heading = document.querySelector<HTMLElement>('main h1')
      if (!heading) return false
      heading.tabIndex = -1
      heading.focus({ preventScroll: true })
      return true
    }
    if (focusHeading()) return
    const before = document.activeElement
    const observer = new MutationObserver(() => {
      const now = document.activeElement
      // Focus that falls back to the body, because search or a menu closed, is not a move by the user.
      const elsewhere = now !== before && now !== document.body
      if (elsewhere || focusHeading()) observer.disconnect()
    })
    observer.observe(document.body, { childList: true, subtree: true })
    return () => observer.disconnect()
  }, [])
  return null
}
