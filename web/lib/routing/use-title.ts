import { parseOwnJson } from '#shared/parse-json.ts'
import { useEffect, useSyncExternalStore } from 'react'
import { boot } from '../session/boot.ts'

/** One breadcrumb; without `href` it is the current page. */
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
/** Prefixes of the tab title while the page's jobs run, e.g. "42% "; the latest one is used. */
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

/** Sets the route's title and breadcrumb; the router's frame calls it on each path change. */
export function setRouteTitle(title: string, crumbs: readonly Crumb[]): void {
  fromRoute = { title, crumbs }
  publish()
}

/**
 * Overrides the route's title once the page knows its own ("blog.localhost" instead of "Site details"). The last breadcrumb
 * becomes the title; earlier ones stay unless given. Null keeps the route's title.
 */
export function useTitle(title: string | null, crumbs?: readonly Crumb[]): void {
  const crumbKey = JSON.stringify(crumbs ?? null)
  useEffect(() => {
    if (title === null) return
    const own = parseOwnJson<readonly Crumb[] | null>(crumbKey)
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

/** Prefixes the tab title with progress. Null lets another part of the page set it. */
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

/** The breadcrumbs to render. */
export function useCrumbs(): readonly Crumb[] {
  return useSyncExternalStore(subscribe, () => (fromPage ?? fromRoute).crumbs)
}
