import type { ComponentType } from 'react'
import { matchPath } from 'react-router'
import type { Crumb } from './use-title.ts'

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
  page: ComponentType
  /** Fetches the screen's code ahead of time. */
  preload: () => Promise<unknown>
}

/** A screen found for a path, with the values of its placeholders. */
export interface RouteMatch {
  route: Route
  params: Readonly<Record<string, string | undefined>>
}

/** Path without its trailing slash. */
export function trimmedPath(pathname: string): string {
  return pathname.length > 1 ? pathname.replace(/\/+$/, '') || '/' : pathname
}

/** The screen for a path: an exact match first, then one with placeholders (specification section 2). */
export function matchRoute(routes: readonly Route[], pathname: string): RouteMatch | null {
  const path = trimmedPath(pathname)
  const exact = routes.find((route) => route.path === path)
  if (exact) return { route: exact, params: {} }
  for (const route of routes) {
    const match = route.path.includes(':') ? matchPath({ path: route.path, end: true }, path) : null
    if (match) return { route, params: match.params }
  }
  return null
}

/** Puts path values into the `{param}` places of a title. */
export function fillTitle(title: string, params: RouteMatch['params']): string {
  return title.replaceAll(/\{(\w+)\}/g, (place, name: string) => params[name] ?? place)
}

/** Title and breadcrumb of a match; of the 404 page without one. */
export function routeTitle(match: RouteMatch | null): { title: string; crumbs: readonly Crumb[] } {
  if (!match) {
    const title = '404 - Page Not Found'
    return { title, crumbs: [{ title }] }
  }
  const title = fillTitle(match.route.title, match.params)
  const crumbs = match.route.crumbs ?? [{ title }]
  return { title, crumbs: crumbs.map((crumb) => ({ ...crumb, title: fillTitle(crumb.title, match.params) })) }
}
