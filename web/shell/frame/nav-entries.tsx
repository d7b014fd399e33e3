import {
  CreditCard,
  Gauge,
  Globe,
  LayoutDashboard,
  LifeBuoy,
  Server,
  Settings2,
  Users,
  type LucideIcon,
} from 'lucide-react'
import { useCount } from '#web/lib/api/frappe.tsx'
import type { Route } from '#web/lib/routing/route-match.ts'
import { sessionRoles, useSession, type Session } from '#web/lib/session/session.tsx'
import { canOpen } from './screens.tsx'
import { tShell } from '../messages.ts'

/** Doctypes whose views are sub-items of their entry. */
export type NavViewsOf = 'Site' | 'Server'

/** An entry of the menu. */
export interface NavEntry {
  /** Path below /web; an absolute path for entries that open a new tab. */
  to: string
  label: string
  icon: LucideIcon
  newTab?: boolean
  /** Count at the end; `bad` is shown as a problem. */
  count?: number | undefined
  bad?: string | null
  /** The list whose views are its sub-items. */
  views?: NavViewsOf
  /** Whether a path belongs to this entry. */
  matches: (path: string) => boolean
}

/** A labeled group of the menu. */
export interface NavGroup {
  label: string
  entries: readonly NavEntry[]
}

/** Counts next to the entries, live. */
export interface NavCounts {
  sites: number | undefined
  sitesDown: number | undefined
  servers: number | undefined
  serversDown: number | undefined
  users: number | undefined
}

const presentSites = { filters: [['status', '!=', 'Archived']] } as const
const presentServers = { filters: [['status', '!=', 'Decommissioned']] } as const

/** Loads the counts of visible entries only. */
export function useNavCounts(): NavCounts {
  const { organization, modules } = useSession()
  const inside = organization !== null
  const sites = useCount(inside ? 'Site' : null, presentSites)
  const down = useCount(inside ? 'Site' : null, {
    filters: [
      ['status', '=', 'Live'],
      ['health', '=', 'Down'],
    ],
  })
  const servers = useCount(inside && modules.ee ? 'Server' : null, presentServers)
  const serversDown = useCount(inside && modules.ee ? 'Server' : null, {
    filters: [['status', 'in', ['Disconnected', 'Failed']]],
  })
  const users = useCount(inside ? 'User' : null)
  return {
    sites: sites.data,
    sitesDown: down.data,
    servers: servers.data,
    serversDown: serversDown.data,
    users: users.data,
  }
}

/** Counts what a plan limits, beyond where other counts stop; undefined while unknown. */
export function useUsageCounts(): { sites: number | undefined; servers: number | undefined } {
  const { subscription } = useSession()
  const { sites, servers } = useNavCounts()
  const limited = subscription?.plans_enabled
  const allSites = useCount(limited && sites === Infinity ? 'Site' : null, { ...presentSites, exact: true })
  const allServers = useCount(limited && servers === Infinity ? 'Server' : null, { ...presentServers, exact: true })
  return {
    sites: sites === Infinity ? allSites.data : sites,
    servers: servers === Infinity ? allServers.data : servers,
  }
}

const under = (root: string) => (path: string) => path === root || path.startsWith(`${root}/`)

/**
 * The menu (docs/contracts/screens.md, section 2): screens that exist and that the user can open. Support is shown to every
 * role of an organization and leaves the app.
 */
export function navGroups(
  session: Session,
  counts: Partial<NavCounts>,
  screens: readonly Pick<Route, 'path'>[],
): readonly NavGroup[] {
  const { admin, manager, owner, member } = sessionRoles(session)
  const inside = session.organization !== null
  const general: (NavEntry | false)[] = [
    inside && { to: '/', label: tShell('shell.dashboard'), icon: LayoutDashboard, matches: (path) => path === '/' },
    inside && {
      to: '/site',
      label: tShell('shell.sites'),
      icon: Globe,
      count: counts.sites,
      bad: counts.sitesDown ? tShell('shell.down', { count: counts.sitesDown }) : null,
      views: 'Site',
      matches: under('/site'),
    },
    inside &&
      session.modules.ee && {
        to: '/server',
        label: tShell('shell.servers'),
        icon: Server,
        count: counts.servers,
        bad: counts.serversDown ? tShell('shell.down', { count: counts.serversDown }) : null,
        views: 'Server',
        matches: under('/server'),
      },
  ]
  const ownPaths = [session.user ?? '', encodeURIComponent(session.user ?? '')].map((user) => `/user/${user}`)
  const manage: (NavEntry | false)[] = [
    inside &&
      (admin || manager || owner) && {
        to: '/user',
        label: tShell('shell.users'),
        icon: Users,
        count: counts.users,
        // The own account is reached from the user menu.
        matches: (path) => under('/user')(path) && !ownPaths.includes(path),
      },
    inside &&
      (admin || owner) && {
        to: '/organization',
        label: tShell('shell.settings'),
        icon: Settings2,
        matches: (path) => path === '/organization',
      },
    inside &&
      owner && {
        to: '/billing',
        label: tShell('shell.billing'),
        icon: CreditCard,
        matches: (path) => path === '/billing',
      },
    session.platformAdmin && {
      to: '/platform',
      label: tShell('shell.platform'),
      icon: Gauge,
      matches: (path) => path === '/platform',
    },
    (admin || manager || member || owner) && {
      to: '/helpdesk',
      label: tShell('shell.support'),
      icon: LifeBuoy,
      newTab: true,
      matches: () => false,
    },
  ]
  const visible = (entries: readonly (NavEntry | false)[]): NavEntry[] =>
    entries.filter((entry) => entry !== false).filter((entry) => entry.newTab || canOpen(screens, session, entry.to))
  return [
    { label: tShell('shell.general'), entries: visible(general) },
    { label: tShell('shell.manage'), entries: visible(manage) },
  ].filter((group) => group.entries.length > 0)
}
