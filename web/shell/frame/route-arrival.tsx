import { useEffect } from 'react'

/** The very first page is where the browser put the focus; only later ones move it. */
let arrivals = 0

/**
 * Stands after the page, keyed by path: scrolls to the top and moves the focus to the heading as soon as there is one,
 * unless the person has gone somewhere else meanwhile.
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
      // What had the focus may be gone, with the search or a menu: nobody has gone anywhere by that.
      const elsewhere = now !== before && now !== document.body
      if (elsewhere || focusHeading()) observer.disconnect()
    })
    observer.observe(document.body, { childList: true, subtree: true })
    return () => observer.disconnect()
  }, [])
  return null
}
