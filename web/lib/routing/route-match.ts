/** Route types, and matching a path to a route. */
import { createContext, useContext, type ComponentType } from 'react'
import { matchRoutes } from 'react-router'
import { translateText } from '../i18n/catalog.ts'
import type { Session } from '../session/session.tsx'
import type { Crumb } from './use-title.ts'
import { trimEnd } from '#shared/rules/trim-end.ts'
import type { Shortcut } from '#shared/shortcuts.ts'

/** Layout of a screen: standalone, or inside the shell with sidebar and top bar. */
export type RouteLayout = 'public' | 'fullscreen' | 'shell'

/**
 * Who can open a screen; `gates.ts` redirects everyone else.
 * - `guests`: only signed-out users
 * - `anyone`
 * - `unverified`: until the email address is verified; signed out with the token of the email
 * - `verified`: also without an organization
 * - `members`: of the current organization
 * - `any_member`: also those who have to set up two-factor authentication first
 * - `without_two_factor`: only these
 * - `managers`, `admins`, `owner`: members with this role or a higher one
 * - `platform`: platform admins, also without an organization; for everyone else the screen doesn't exist
 */
type Access =
  | 'guests'
  | 'anyone'
  | 'unverified'
  | 'verified'
  | 'members'
  | 'any_member'
  | 'without_two_factor'
  | 'managers'
  | 'admins'
  | 'owner'
  | 'platform'

/** A screen's entry in the menu. */
interface NavItem {
  /** Names the entry for scripts, tests and tours, whatever its label; the sidebar has it as `data-entry`. */
  key: 'dashboard' | 'view-sites' | 'view-servers' | 'users' | 'organization' | 'billing' | 'platform'
  group: 'general' | 'manage'
  /** Its name in `nav-entries.tsx`: icons come with the shell. */
  icon: string
  /** English; the app translates it. Defaults to the screen's title. */
  label?: string
  /** What the screen lists: counted beside the entry, and its saved views are sub-items. */
  lists?: 'Site' | 'Server' | 'User'
}

/** A route (`routes.tsx`). */
export interface Route {
  /** Path below /web, e.g. `/site/:site`. */
  path: string
  /** Tab title; may contain `{param}`. */
  title: string
  /** Breadcrumbs from the first to this screen; titles may contain `{param}`. Defaults to the title alone. */
  crumbs?: readonly Crumb[]
  /** `public`: visible to signed-out users. */
  layout: RouteLayout
  /** Defaults to `members`. */
  access?: Access
  nav?: NavItem
  /** Two keys, pressed one after the other, that open it. */
  shortcut?: Shortcut
  /** The module the screen belongs to. While it is off, nothing leads there; the page itself says who can turn it on. */
  module?: keyof Session['modules']
  /** The page is a form: its first field gets the focus. */
  form?: true
  page: ComponentType
  /** Starts what the screen reads first, while its code is loaded (`lib/api/early-reads.ts`). */
  readEarly?: () => Promise<(arrival: Arrival) => void>
  /** Preloads a screen with its own code chunk before it is rendered. Rejects if loading fails. */
  load?: () => Promise<unknown>
}

/** What a document knows of the screen it is opened at. */
export interface Arrival {
  readonly session: Session
  /** Stored with the account (`UserMeta.preferences`). */
  readonly preferences: unknown
  /** Of the address. */
  readonly search: string
}

/** The route matched for a path, with its parameters. */
export interface RouteMatch {
  route: Route
  params: Readonly<Record<string, string | undefined>>
}

/** Routes available to a user. */
export function screensFor(routes: readonly Route[], person: { readonly platformAdmin: boolean }): readonly Route[] {
  return person.platformAdmin ? routes : routes.filter(({ access }) => access !== 'platform')
}

/** Path without a trailing slash. */
export function trimmedPath(pathname: string): string {
  return pathname.length > 1 ? trimEnd(pathname, '/') || '/' : pathname
}

/** A document can't have this name, so the path means a page of its own, which may not exist yet. */
const reserved = 'create'

/** Finds the route of a path: exact matches first, then routes with parameters (docs/contracts/screens.md, section 2). */
export function matchRoute(routes: readonly Route[], pathname: string): RouteMatch | null {
  const table = routes.map((route) => ({ path: route.path, caseSensitive: true, handle: route }))
  const match = matchRoutes(table, pathname)?.at(-1)
  if (!match || Object.values(match.params).includes(reserved)) return null
  return { route: match.route.handle, params: match.params }
}

/** Parameters of the current path, provided by the frame. */
export const PathParams = createContext<RouteMatch['params']>({})

/** Parameters of the current path: `usePathParams()['site']`. */
export const usePathParams = (): RouteMatch['params'] => useContext(PathParams)

/** Replaces `{param}` in a title with path parameters. */
export function fillTitle(title: string, params: RouteMatch['params']): string {
  return title.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => params[name] ?? placeholder)
}

/** Title and breadcrumb of a match; without one, of the 404 page. */
export function routeTitle(match: RouteMatch | null): { title: string; crumbs: readonly Crumb[] } {
  if (!match) {
    const title = translateText('404 - Page Not Found')
    return { title, crumbs: [{ title }] }
  }
  const title = fillTitle(translateText(match.route.title), match.params)
  const crumbs = match.route.crumbs ?? [{ title: match.route.title }]
  return {
    title,
    crumbs: crumbs.map((crumb) => ({ ...crumb, title: fillTitle(translateText(crumb.title), match.params) })),
  }
}
