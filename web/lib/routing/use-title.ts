import { parseOwnJson } from '#shared/parse-json.ts'
import { useEffect, useSyncExternalStore } from 'react'
import { boot } from '../session/boot.ts'

/** One breadcrumb; without `href` it is the current page. */
export interface Crumb {
  title: string
  /** Path below /web, e.g. `/site`. */
  href?: string
  /** Beginning of the title that is enough where there is little room. */
  name?: string
}

interface PageTitle {
  title: string
  crumbs: readonly Crumb[]
  /** Name of the shown document; absent on other pages. */
  name?: string
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
 * Puts the name of the shown document before the route's title, in the tab and in the last breadcrumb: "blog.localhost · Site
 * details". The breadcrumbs `before` the last one stay as the route has them unless given. Null keeps the route's title.
 */
export function useTitle(name: string | null, before?: readonly Crumb[]): void {
  const beforeKey = JSON.stringify(before ?? null)
  useEffect(() => {
    if (name === null) return
    const title = `${name} · ${fromRoute.title}`
    const own = parseOwnJson<readonly Crumb[] | null>(beforeKey)
    const mine: PageTitle = { name, title, crumbs: [...(own ?? fromRoute.crumbs.slice(0, -1)), { title, name }] }
    fromPage = mine
    publish()
    return () => {
      if (fromPage === mine) {
        fromPage = null
        publish()
      }
    }
  }, [name, beforeKey])
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

/** Name of the shown document, without the route's title; undefined while it is unknown and on other pages. */
export function usePageName(): string | undefined {
  return useSyncExternalStore(subscribe, () => fromPage?.name)
}

/** The breadcrumbs to render. */
export function useCrumbs(): readonly Crumb[] {
  return useSyncExternalStore(subscribe, () => (fromPage ?? fromRoute).crumbs)
}
