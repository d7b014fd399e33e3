import { useEffect } from 'react'

/** The first page keeps the browser's focus; only later ones move it. */
let arrivals = 0

/** The first field of the page's form, once the form has its data. */
const firstField = 'main form:not(:has([aria-busy=true])) :is(input, select, textarea):not([disabled], [type=hidden])'

/**
 * Rendered after the page, keyed by path: scrolls to the top and focuses the heading as soon as it exists, on a `form` page the
 * form's first field, unless the user has moved the focus in the meantime.
 */
export function RouteArrival({ form = false }: { form?: boolean | undefined }) {
  useEffect(() => {
    window.scrollTo(0, 0)
    arrivals += 1
    const first = arrivals === 1
    if (first && !form) return
    // The shell was there before the first page: who uses it keeps the focus.
    let before = first ? document.body : document.activeElement
    /** Whether nothing is left to wait for. */
    const arrive = (): boolean => {
      const now = document.activeElement
      // Focus that falls back to the body, because search or a menu closed, is not a move by the user.
      if (now !== before && now !== document.body) return true
      const field = form ? document.querySelector<HTMLElement>(firstField) : null
      const heading = first ? null : document.querySelector<HTMLElement>('main h1')
      if (!field && heading) heading.tabIndex = -1
      const target = field ?? heading
      target?.focus({ preventScroll: true })
      before = document.activeElement
      return form ? field !== null : target !== null
    }
    if (arrive()) return
    const observer = new MutationObserver(() => {
      if (arrive()) observer.disconnect()
    })
    observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['aria-busy'] })
    return () => observer.disconnect()
  }, [form])
  return null
}
