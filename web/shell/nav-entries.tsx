import { Globe, LayoutDashboard, Server, type LucideIcon } from 'lucide-react'
import { useCount } from '#web/lib/frappe.tsx'
import type { Session } from '#web/lib/session.tsx'
import { words } from './messages.ts'

/** One line of the menu. */
export interface NavEntry {
  to: string
  label: string
  icon: LucideIcon
  /** Number at the end; `bad` draws it as trouble. */
  count?: number | undefined
  bad?: string | null
  /** Whether a path belongs to it. */
  matches: (path: string) => boolean
}

/** A named part of the menu. */
export interface NavGroup {
  label: string
  entries: readonly NavEntry[]
}

/** Numbers beside the entries, live. */
export interface NavCounts {
  sites: number | undefined
  sitesDown: number | undefined
  servers: number | undefined
}

/** Reads the numbers; the servers' only where there is an entry for them. */
export function useNavCounts(ee: boolean): NavCounts {
  const sites = useCount('Site', { filters: [['status', '!=', 'Archived']] })
  const down = useCount('Site', {
    filters: [
      ['status', '=', 'Live'],
      ['health', '=', 'Down'],
    ],
  })
  const servers = useCount(ee ? 'Server' : null, { filters: [['status', '!=', 'Decommissioned']] })
  return { sites: sites.data, sitesDown: down.data, servers: servers.data }
}

/** The menu: only what has a screen, and only what the person may open. */
export function navGroups(session: Pick<Session, 'modules'>, counts: NavCounts): readonly NavGroup[] {
  const under = (root: string) => (path: string) => path === root || path.startsWith(`${root}/`)
  const general: NavEntry[] = [
    { to: '/', label: words('shell.dashboard'), icon: LayoutDashboard, matches: (path) => path === '/' },
    {
      to: '/site',
      label: words('shell.sites'),
      icon: Globe,
      count: counts.sites,
      bad: counts.sitesDown ? words('shell.down', { count: counts.sitesDown }) : null,
      matches: under('/site'),
    },
  ]
  if (session.modules.ee) {
    general.push({
      to: '/server',
      label: words('shell.servers'),
      icon: Server,
      count: counts.servers,
      matches: under('/server'),
    })
  }
  return [{ label: words('shell.general'), entries: general }]
}
