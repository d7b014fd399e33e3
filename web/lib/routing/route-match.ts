/** The table of screens and how a path finds its own. */
import { createContext, useContext, type ComponentType } from 'react'
import { matchRoutes } from 'react-router'
import { described } from '../i18n/catalogue.ts'
import type { Crumb } from './use-title.ts'
import { trimEnd } from '#shared/rules/trim-end.ts'

/** How a screen stands: alone, or inside the shell with sidebar and top bar. */
export type RouteLayout = 'public' | 'fullscreen' | 'shell'

/** One screen of the route table (`routes.tsx`). */
export interface Route {
  /** Below /web, e.g. `/site/:site`. */
  path: string
  /** Of the tab; may hold `{param}`. */
  title: string
  /** From the first to this screen; titles may hold `{param}`. Absent: the title alone. */
  crumbs?: readonly Crumb[]
  /** `public`: signed-out people may see it. */
  layout: RouteLayout
  /** Exists for the platform admin alone; everybody else gets the page of unknown paths. */
  platformOnly?: true
  page: ComponentType
  /** Loads a screen whose code is a file of its own before it is rendered. Rejects when it cannot be loaded. */
  load?: () => Promise<unknown>
}

/** A screen found for a path, with the values of its placeholders. */
export interface RouteMatch {
  route: Route
  params: Readonly<Record<string, string | undefined>>
}

/** The screens that exist for a person. */
export function screensFor(routes: readonly Route[], person: { readonly platformAdmin: boolean }): readonly Route[] {
  return person.platformAdmin ? routes : routes.filter((route) => !route.platformOnly)
}

/** Path without its trailing slash. */
export function trimmedPath(pathname: string): string {
  return pathname.length > 1 ? trimEnd(pathname, '/') || '/' : pathname
}

/** No document is called that (operating contract): the path means a screen of its own, which may not be there yet. */
const reserved = 'create'

/** The screen for a path: an exact match first, then one with placeholders (docs/contracts/screens.md, section 2). */
export function matchRoute(routes: readonly Route[], pathname: string): RouteMatch | null {
  const table = routes.map((route) => ({ path: route.path, caseSensitive: true, handle: route }))
  const match = matchRoutes(table, pathname)?.at(-1)
  if (!match || Object.values(match.params).includes(reserved)) return null
  return { route: match.route.handle, params: match.params }
}

/** Values of the current path's placeholders; the frame provides them. */
export const PathParams = createContext<RouteMatch['params']>({})

/** The values of the path that a page stands at: `usePathParams()['site']`. */
export const usePathParams = (): RouteMatch['params'] => useContext(PathParams)

/** Puts path values into the `{param}` places of a title. */
export function fillTitle(title: string, params: RouteMatch['params']): string {
  return title.replaceAll(/\{(\w+)\}/g, (place, name: string) => params[name] ?? place)
}

/** Title and breadcrumb of a match; of the 404 page without one. */
export function routeTitle(match: RouteMatch | null): { title: string; crumbs: readonly Crumb[] } {
  if (!match) {
    const title = described('404 - Page Not Found')
    return { title, crumbs: [{ title }] }
  }
  const title = fillTitle(described(match.route.title), match.params)
  const crumbs = match.route.crumbs ?? [{ title: match.route.title }]
  return {
    title,
    crumbs: crumbs.map((crumb) => ({ ...crumb, title: fillTitle(described(crumb.title), match.params) })),
  }
}
