import { FileText, Globe, LifeBuoy, Server, UserRound } from 'lucide-react'
import { siteName } from '#shared/rules/display-name.ts'
import { foldText } from '#shared/rules/fold-text.ts'
import { useViewer } from '#web/documents/actions/use-actions.ts'
import { limitReachedAt, showLimit } from '#web/documents/actions/limit-notice.ts'
import { translateText } from '#web/lib/i18n/catalog.ts'
import type { SearchMode } from '#web/lib/browser/typed-ahead.ts'
import { useDebounced } from '#web/lib/api/debounce.ts'
import { recents, uses, type Recent } from '#web/lib/routing/recent.ts'
import type { Route } from '#web/lib/routing/route-match.ts'
import { sessionRoles, useSession, type Session } from '#web/lib/session/session.tsx'
import { canOpen, useScreens } from '../frame/screens.tsx'
import { useAppCommands, type AppHandlers } from './app-commands.tsx'
import { isSameText, sortPrefixMatchesFirst, startsWords, readCommand } from './command.ts'
import { documentActions, verbs, type ActionHandlers } from './document-actions.tsx'
import { tSearch } from './messages.ts'
import { serverOption, siteOption, userOption, wpcSiteOption } from './document-options.tsx'
import type { Group, Option } from './option.ts'
import {
  groupRows,
  useServers,
  useSites,
  useUsers,
  useWpcSites,
  type ServerRow,
  type SiteRow,
  type UserRow,
} from './use-rows.ts'

/** Results for a search text. */
export interface Groups {
  groups: readonly Group[]
  /** The searched term, highlighted in the results. */
  term: string
  /** Id of the document whose whole name was typed: selected first, wherever its group is. */
  exact: string | null
  /** `waiting`: the user is typing; `loading`: a request is running. */
  state: 'waiting' | 'loading' | 'ready'
}

const icon = { size: 16, strokeWidth: 1.75, 'aria-hidden': true } as const
const recentIcons = { site: <Globe {...icon} />, server: <Server {...icon} />, user: <UserRound {...icon} /> } as const

const recentOption = (visit: Recent): Option => ({
  id: `recent-${visit.href}`,
  icon: recentIcons[visit.kind],
  title: visit.title,
  href: visit.href,
  visit,
})

/** Pages that make something, which the panel of actions opens with. */
const frequentPages: ReadonlySet<string> = new Set(['page-/site/create'])

/** Screens the user can open (or could with a higher plan limit), their profile and support. */
export function pageOptions(screens: readonly Route[], session: Session, term: string): Option[] {
  const pages: Option[] = screens
    .filter(({ path, layout }) => layout !== 'public' && !path.includes(':'))
    .filter(({ path }) => limitReachedAt(path, session.subscription) !== null || canOpen(screens, session, path))
    // Pages outside the shell come last.
    .toSorted((a, b) => Number(a.layout !== 'shell') - Number(b.layout !== 'shell'))
    .map(({ path, title }) => {
      const full = limitReachedAt(path, session.subscription)
      return {
        id: `page-${path}`,
        icon: <FileText {...icon} />,
        title: translateText(title),
        ...(full === null ? { href: path } : { run: () => showLimit(full) }),
      }
    })
  if (session.user && screens.some(({ path }) => path === '/user/:user'))
    pages.push({
      id: 'page-profile',
      icon: <UserRound {...icon} />,
      title: tSearch('profile'),
      href: `/user/${encodeURIComponent(session.user)}#personal-info`,
    })
  pages.push({
    id: 'page-support',
    icon: <LifeBuoy {...icon} />,
    title: tSearch('support'),
    detail: tSearch('new_tab'),
    href: '/helpdesk',
    newTab: true,
  })
  return matchingOptions(pages, term).slice(0, groupRows)
}

/** Options found by the beginnings of their words; those that begin with the text come first. */
function matchingOptions<Found extends { title: string; keywords?: string }>(
  all: readonly Found[],
  term: string,
): Found[] {
  return sortPrefixMatchesFirst(
    all.filter(({ title, keywords = '' }) => startsWords(`${title} ${keywords}`, term)),
    term,
    ({ title }) => title,
  )
}

/** The document with this name, title, host name or email; pages of that title come before it. */
function exactOption(
  found: { sites: readonly SiteRow[]; servers: readonly ServerRow[]; users: readonly UserRow[] },
  term: string,
): string | null {
  const wanted = foldText(term.trim())
  const is = (...names: (string | null | undefined)[]) => names.some((name) => name && foldText(name) === wanted)
  const site = found.sites.find(({ domain, title }) => is(domain, title, domain.split('.')[0]))
  if (site) return `site-${site.name}`
  const server = found.servers.find(({ hostname }) => is(hostname))
  if (server) return `server-${server.name}`
  const user = found.users.find(({ name, full_name }) => is(name, full_name))
  return user ? `user-${user.name}` : null
}

const none: ReadonlyMap<string, number> = new Map()

/** Names of the actions that somebody used. */
const usedActions = (used: ReadonlyMap<string, number>): string[] =>
  verbs.map(({ name }) => name).filter((name) => [...used.keys()].some((id) => id.startsWith(`${name}-`)))

/** Each option once, those first that this person uses most; the others stay in their order. */
function mostUsedFirst(options: readonly Option[], used: ReadonlyMap<string, number>): Option[] {
  const times = ({ id }: Option) => used.get(id) ?? 0
  return options
    .filter(({ id }, index) => options.findIndex((other) => other.id === id) === index)
    .toSorted((a, b) => times(b) - times(a))
}

/** While nothing is searched. */
const noGroups: Groups = { groups: [], term: '', exact: null, state: 'loading' }

/** All results for a text, in display order, without empty groups; nothing is searched yet for null. */
export function useGroups(given: string | null, mode: SearchMode, handlers: ActionHandlers & AppHandlers): Groups {
  const text = given ?? ''
  const session = useSession()
  const viewer = useViewer()
  const screens = useScreens()
  const settled = useDebounced(text)
  const { actions, term, partly } = readCommand(settled, verbs)
  const { privileged } = sessionRoles(session)
  // Without a text, the latest documents are only needed for their actions.
  const wanted = given === null || (settled.trim() === '' && mode === 'navigation') ? null : term
  const sites = useSites(wanted)
  const wpcSites = useWpcSites(session.modules.wpc ? wanted : null)
  const servers = useServers(session.modules.ee ? wanted : null)
  const users = useUsers(privileged && term !== '' ? term : null)
  // Words of actions may also be part of a name, so search for both.
  const partlySites = useSites(partly?.term ?? null)
  const partlyServers = useServers(session.modules.ee ? (partly?.term ?? null) : null)
  const appCommands = useAppCommands(given === null ? null : handlers)
  if (given === null) return noGroups

  const isEmpty = text.trim() === ''
  const visits =
    session.user && session.organization && isEmpty
      ? recents(session.user, session.organization.name).filter(({ kind }) => kind !== 'server' || session.modules.ee)
      : []
  // Without a text, current and recently visited documents come first.
  const lately = (kind: string, name: string) => {
    const at = visits.findIndex(({ href }) => href === `/${kind}/${encodeURIComponent(name)}`)
    return at === -1 ? visits.length : at
  }
  const latest = <Row extends { name: string }>(kind: string, rows: readonly Row[]) =>
    rows.toSorted((a, b) => lately(kind, a.name) - lately(kind, b.name))
  const ordered = (of: { sites: readonly SiteRow[]; servers: readonly ServerRow[] }, by: string) => ({
    sites: latest(
      'site',
      sortPrefixMatchesFirst(
        sortPrefixMatchesFirst(of.sites, by, (row) => row.domain),
        by,
        siteName,
      ),
    ),
    servers: latest(
      'server',
      sortPrefixMatchesFirst(of.servers, by, (row) => row.hostname),
    ),
  })
  const found = ordered({ sites: sites.rows, servers: servers.rows }, term)

  const used = session.user && session.organization && isEmpty ? uses(session.user, session.organization.name) : none
  const commands = matchingOptions(appCommands, text)
  const acts = documentActions(found, actions, viewer, handlers)
  const named = partly
    ? documentActions(
        ordered({ sites: partlySites.rows, servers: partlyServers.rows }, partly.term),
        partly.actions,
        viewer,
        handlers,
      ).filter(({ id }) => acts.every((other) => other.id !== id))
    : []
  const pages = pageOptions(screens, session, text)
  const actionGroup: Group = {
    key: 'actions',
    label: tSearch('actions'),
    // Without a text, what is done most. All commands that were typed for are there: no other text finds some of them alone.
    options: isEmpty
      ? mostUsedFirst(
          [
            ...(mode === 'actions' ? pages.filter(({ id }) => frequentPages.has(id)) : []),
            ...acts.slice(0, groupRows / 2),
            ...commands,
            // Few actions are offered without a text, and those that were used may be others.
            ...documentActions(found, usedActions(used), viewer, handlers, false).filter(({ id }) => used.has(id)),
          ],
          used,
        ).slice(0, groupRows)
      : [...commands, ...[...acts, ...named].slice(0, groupRows)],
  }
  const navigation: Group[] = [
    // Available locally, so filtered immediately.
    {
      key: 'pages',
      label: tSearch('pages'),
      options: pages.filter(({ id }) => !actionGroup.options.some((other) => other.id === id)),
    },
    ...(term === ''
      ? []
      : [
          {
            key: 'sites' as const,
            label: tSearch('sites'),
            options: [
              ...found.sites.map((site) => siteOption(site, term)),
              ...sortPrefixMatchesFirst(wpcSites.rows, term, ({ domain }) => domain).map(wpcSiteOption),
            ].slice(0, groupRows),
          },
          {
            key: 'servers' as const,
            label: tSearch('servers'),
            options: found.servers.map((server) => serverOption(server, privileged)),
          },
          { key: 'users' as const, label: tSearch('users'), options: users.rows.map(userOption) },
        ]),
    { key: 'recent', label: tSearch('recent'), options: visits.map(recentOption) },
  ]
  const groups = mode === 'actions' || actions ? [actionGroup, ...navigation] : [...navigation, actionGroup]
  return {
    groups: groups.filter(({ options }) => options.length > 0),
    term,
    exact:
      mode === 'actions' || actions || pages.some(({ title }) => isSameText(title, text))
        ? null
        : exactOption({ ...found, users: users.rows }, text),
    state:
      text.trim() === settled.trim()
        ? [sites, wpcSites, servers, users, partlySites, partlyServers].some(({ loading }) => loading)
          ? 'loading'
          : 'ready'
        : 'waiting',
  }
}
