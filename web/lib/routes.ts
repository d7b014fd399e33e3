/**
 * The table of screens and how a path finds its own. The router's `Routes` would find them too, but weighs 3 kB on every
 * page for nesting and loading that a flat table has no use for.
 */
import { createContext, useContext, type ComponentType } from 'react'
import { described } from './catalogue.ts'
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

/** The screen for a path: an exact match first, then one with placeholders (specification section 2). */
export function matchRoute(routes: readonly Route[], pathname: string): RouteMatch | null {
  const path = trimmedPath(pathname)
  const exact = routes.find((route) => route.path === path)
  if (exact) return { route: exact, params: {} }
  for (const route of routes) {
    const params = route.path.includes(':') ? matchParts(route.path.split('/'), path.split('/')) : null
    if (params) return { route, params }
  }
  return null
}

/** No document is called that (operating contract): the path means a screen of its own, which may not be there yet. */
const reserved = 'create'

/** Values of the `:name` parts of a pattern; null when the path is none of it. */
function matchParts(pattern: readonly string[], path: readonly string[]): Record<string, string> | null {
  if (pattern.length !== path.length) return null
  const params: Record<string, string> = {}
  for (const [index, part] of pattern.entries()) {
    const given = path[index] ?? ''
    if (!part.startsWith(':')) {
      if (part !== given) return null
    } else if (given === '' || given === reserved) return null
    else params[part.slice(1)] = decoded(given)
  }
  return params
}

/** A hand-typed `%` that encodes nothing stands for itself. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
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
