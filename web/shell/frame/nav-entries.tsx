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
import { translateText } from '#web/lib/i18n/catalog.ts'
import { sitesInUse } from '#shared/rules/site-attention.ts'
import { useServerProblems } from '#web/features/servers/use-server-problems.ts'
import { useSiteProblems } from '#web/features/sites/use-site-problems.ts'
import { useCount } from '#web/lib/api/frappe.tsx'
import type { Route } from '#web/lib/routing/route-match.ts'
import { sessionRoles, useSession, type Session } from '#web/lib/session/session.tsx'
import { canOpen } from './screens.tsx'
import { tShell } from '../messages.ts'

const icons = { CreditCard, Gauge, Globe, LayoutDashboard, Server, Settings2, Users }

/** An icon that routes can name. */
export type NavIcon = keyof typeof icons

/** An entry of the menu. */
export interface NavEntry {
  key: NonNullable<Route['nav']>['key'] | 'support'
  /** Path below /web; an absolute path for entries that open a new tab. */
  to: string
  label: string
  icon: LucideIcon
  newTab?: boolean
  /** Count at the end; `bad` is shown instead, as a problem or, if everything still works, as a warning. */
  count?: number | undefined
  bad?: { readonly text: string; readonly tone: 'bad' | 'warn' } | null
  /** The list whose views are its sub-items. */
  views?: 'Site' | 'Server'
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
  /** Of these, how many need attention, and how many don't work. */
  sitesAttention: number | undefined
  sitesBroken: number | undefined
  servers: number | undefined
  serversAttention: number | undefined
  serversBroken: number | undefined
  users: number | undefined
}

const presentSites = { filters: sitesInUse } as const
const presentServers = { filters: [['status', '!=', 'Decommissioned']] } as const

/** Loads the counts of visible entries only. */
export function useNavCounts(): NavCounts {
  const { organization, modules } = useSession()
  const inside = organization !== null
  const sites = useCount(inside ? 'Site' : null, presentSites)
  const siteProblems = useSiteProblems(inside)
  const servers = useCount(inside && modules.ee ? 'Server' : null, presentServers)
  const serverProblems = useServerProblems(inside && modules.ee)
  const users = useCount(inside ? 'User' : null)
  return {
    sites: sites.data,
    sitesAttention: siteProblems.attention,
    sitesBroken: (siteProblems.down ?? 0) + (siteProblems.failed ?? 0),
    servers: servers.data,
    serversAttention: serverProblems.attention,
    serversBroken: serverProblems.broken,
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

/**
 * The menu (docs/contracts/screens.md, section 2): screens that exist and that the user can open. Support is shown to every
 * role of an organization and leaves the app.
 */
export function navGroups(
  session: Session,
  counts: Partial<NavCounts>,
  screens: readonly Route[],
): readonly NavGroup[] {
  const { admin, manager, owner, member } = sessionRoles(session)
  const problems = (count: number | undefined, broken: number | undefined): NavEntry['bad'] =>
    count ? { text: tShell('shell.attention', { count }), tone: broken ? 'bad' : 'warn' } : null
  const counted = {
    Site: { count: counts.sites, bad: problems(counts.sitesAttention, counts.sitesBroken), views: 'Site' },
    Server: { count: counts.servers, bad: problems(counts.serversAttention, counts.serversBroken), views: 'Server' },
    User: { count: counts.users },
  } as const
  // The own account is reached from the user menu.
  const ownPaths = [session.user ?? '', encodeURIComponent(session.user ?? '')].map((user) => `/user/${user}`)
  const entries = (group: string): NavEntry[] =>
    screens.flatMap(({ path: to, title, nav }) =>
      nav?.group === group && canOpen(screens, session, to)
        ? {
            key: nav.key,
            to,
            label: translateText(nav.label ?? title),
            icon: icons[nav.icon as NavIcon],
            ...(nav.lists && counted[nav.lists]),
            matches: (path: string) => (path === to || path.startsWith(`${to}/`)) && !ownPaths.includes(path),
          }
        : [],
    )
  const support: NavEntry = {
    key: 'support',
    to: '/helpdesk',
    label: tShell('shell.support'),
    icon: LifeBuoy,
    newTab: true,
    matches: () => false,
  }
  return [
    { label: tShell('shell.general'), entries: entries('general') },
    {
      label: tShell('shell.manage'),
      entries: [...entries('manage'), ...(admin || manager || member || owner ? [support] : [])],
    },
  ].filter((group) => group.entries.length > 0)
}
