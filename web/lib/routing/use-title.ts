import { useEffect, useSyncExternalStore } from 'react'
import { boot } from '../session/boot.ts'

/** One part of the breadcrumb; without `href` it is the current page. */
export interface Crumb {
  title: string
  /** Path below /web, e.g. `/site`. */
  href?: string
}

interface PageTitle {
  title: string
  crumbs: readonly Crumb[]
}

let fromRoute: PageTitle = { title: '', crumbs: [] }
let fromPage: PageTitle | null = null
/** What stands before the title while jobs of the page run, e.g. "42% "; the latest one counts. */
const prefixes = new Map<symbol, string>()
const listeners = new Set<() => void>()

function publish(): void {
  const { title } = fromPage ?? fromRoute
  const product = boot().product_name
  document.title =
    ([...prefixes.values()].at(-1) ?? '') + (title && title !== product ? `${title} · ${product}` : product)
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Title and breadcrumb of the route table; the router's frame calls it on each change of path. */
export function setRouteTitle(title: string, crumbs: readonly Crumb[]): void {
  fromRoute = { title, crumbs }
  publish()
}

/**
 * A page's own title in place of the route's, once it knows it ("blog.localhost" instead of "Site details").
 * The last crumb becomes the title; the crumbs before it stay unless given. Null keeps the route's.
 */
export function useTitle(title: string | null, crumbs?: readonly Crumb[]): void {
  const crumbKey = JSON.stringify(crumbs ?? null)
  useEffect(() => {
    if (title === null) return
    const own = JSON.parse(crumbKey) as readonly Crumb[] | null
    const mine: PageTitle = { title, crumbs: own ?? [...fromRoute.crumbs.slice(0, -1), { title }] }
    fromPage = mine
    publish()
    return () => {
      if (fromPage === mine) {
        fromPage = null
        publish()
      }
    }
  }, [title, crumbKey])
}

/** Puts progress before the tab's title while it is given; null gives way to another part of the page. */
export function useTitlePrefix(text: string | null): void {
  useEffect(() => {
    if (!text) return
    const mine = Symbol('prefix')
    prefixes.set(mine, `${text} `)
    publish()
    return () => {
      prefixes.delete(mine)
      publish()
    }
  }, [text])
}

/** The breadcrumb to draw. */
export function useCrumbs(): readonly Crumb[] {
  return useSyncExternalStore(subscribe, () => (fromPage ?? fromRoute).crumbs)
}
