/** Steps of the tours, by user and screen (docs/contracts/screens.md). */
import { SiteDoctype } from '#shared/doctypes/site.ts'
import type { TourName, TourRequest } from '#web/lib/session/tour-list.ts'
import { t } from './messages.ts'

/** The user who takes a tour. */
export interface TourViewer {
  owner: boolean
  admin: boolean
  manager: boolean
  /** Whether the servers module is on. */
  ee: boolean
  /** Whether the list of sites has any. */
  hasSites: boolean
  /** A server whose graphs can be shown; null if there is none. */
  server: string | null
  /**
   * The organization's first site: this user can still create it and has left its form (`put_off`) or not yet (`ahead`), or
   * created it during the tour (its name). Absent if it doesn't concern this tour.
   */
  firstSite?: 'ahead' | 'put_off' | { name: string }
}

/** A step of a tour. */
export interface TourStep {
  name: string
  /** Selector of the highlighted element; the first visible match. */
  target: string
  /** Screen to open, below /web, with its filters or hash; absent if the target is part of the shell. */
  path?: string
  title: string
  text: string
  /** Screen that creates the step's subject; the tour pauses there for the first one. */
  form?: string
  /** Next opens the form. */
  opensForm?: true
}

interface Stop {
  target: string
  path?: string | ((viewer: TourViewer) => string)
  /** Whether the step applies to this user; defaults to everyone. */
  sees?: (viewer: TourViewer) => boolean
  /** Required screen, if different from `path`. */
  needs?: string
  /** For an organization's first one: the form that creates it, and the target after it was created. */
  first?: { form: string; made: { target: string; path: (site: string) => string } }
}

const admins = ({ admin }: TourViewer) => admin
const managers = ({ admin, manager }: TourViewer) => admin || manager
const owners = ({ owner }: TourViewer) => owner

/** Path of a site's page. */
export const sitePath = (site: string): string => `/site/${encodeURIComponent(site)}`

/** The list of sites with its common filters, because the one that the account remembers may match no site. */
const allSites = `/site?${new URLSearchParams(
  (SiteDoctype.list?.filters ?? []).map(([field, ...filter]) => [field, JSON.stringify(filter)]),
).toString()}`

/** On phones the entries are behind this button, which is highlighted instead. */
const menu = '.tour-menu'

const stops = {
  switcher: { target: '.tour-switcher, .tour-home' },
  search: { target: '.tour-search' },
  sites: { target: `aside a[href$="/web/site"], ${menu}` },
  create_site: {
    target: 'main .tour-create',
    path: '/site',
    first: {
      form: '/site/create',
      // The header above the tabs, with status and Open admin.
      made: { target: 'main :has(+ [role=tablist])', path: sitePath },
    },
  },
  add_server: {
    target: 'main .tour-create',
    path: '/server',
    needs: '/server/create',
    sees: ({ admin, owner, ee }) => ee && (admin || owner),
  },
  cloud_provider: { target: '#tab-cloud_providers', path: '/organization#cloud_providers', sees: admins },
  backup_provider: { target: '#tab-backup_providers', path: '/organization#backup_providers', sees: admins },
  github: { target: '#tab-github', path: '/organization#github', sees: admins },
  ssh: { target: '#tab-ssh', path: '/organization#ssh', sees: admins },
  access_token: { target: '.tour-access-token', path: '/organization#overview', sees: admins },
  users: { target: `aside a[href$="/web/user"], ${menu}`, sees: managers },
  profile: { target: '.tour-profile', sees: managers },
  billing: { target: `aside a[href$="/web/billing"], ${menu}`, sees: owners },
  help: { target: `.tour-help, ${menu}` },
  actions: { target: '.tour-search' },
  magic_login: { target: '[data-row-link]', path: allSites, sees: ({ hasSites }) => hasSites },
  saved_views: { target: '.tour-views', path: allSites },
  backups: { target: 'main h1', path: '/site/backups' },
  job_drawer: { target: '.tour-jobs' },
  server_graphs: {
    target: '#tab-graphs',
    path: ({ server }) => `/server/${encodeURIComponent(server ?? '')}#graphs`,
    needs: '/server/:server',
    sees: ({ admin, manager, ee, server }) => ee && (admin || manager) && server !== null,
  },
} as const satisfies Record<string, Stop>

type StopName = keyof typeof stops

/**
 * At most seven steps each, because people close longer tours; the settings of an organization, which only admins see, follow at the
 * end of the last one.
 */
const tours: Readonly<Record<TourName, readonly StopName[]>> = {
  onboarding: ['search', 'create_site', 'add_server', 'users', 'profile', 'billing', 'help'],
  onboardingv2: ['switcher', 'sites', 'create_site', 'add_server', 'cloud_provider', 'users', 'billing'],
  // A step about rehearsed updates comes with them.
  features: [
    ...(['actions', 'magic_login', 'saved_views', 'backups', 'job_drawer', 'server_graphs'] as const),
    ...(['backup_provider', 'github', 'ssh', 'access_token'] as const),
  ],
}

/**
 * The steps of a tour for a user, limited to existing screens (`screens`: paths of the route table) and to what has a target
 * with the data at hand.
 */
export function tourSteps(tour: TourName, viewer: TourViewer, screens: readonly string[]): TourStep[] {
  return tours[tour].flatMap((name) => {
    const { target, path: pathOf, sees, needs, first }: Stop = stops[name]
    if (sees && !sees(viewer)) return []
    const path = typeof pathOf === 'function' ? pathOf(viewer) : pathOf
    const screen = needs ?? path?.replace(/[?#].*/, '')
    if (screen !== undefined && !screens.includes(screen)) return []
    const step = { name, target, ...(path && { path }), title: t(`tour.${name}`), text: t(`tour.${name}_text`) }
    return [first && screens.includes(first.form) ? firstSiteStep(step, first, viewer.firstSite) : step]
  })
}

/**
 * The step about creating a site, before and after the organization's first one was created. Both have the same number,
 * because the number of steps is fixed per role: title and text say that the step continues.
 */
function firstSiteStep(
  step: TourStep,
  { form, made }: NonNullable<Stop['first']>,
  firstSite: TourViewer['firstSite'],
): TourStep {
  if (firstSite === undefined || firstSite === 'put_off') return { ...step, form }
  if (firstSite === 'ahead') return { ...step, form, opensForm: true, text: t('tour.create_site_first') }
  const { target, path } = made
  const texts = { title: t('tour.site_made'), text: t('tour.site_made_text') }
  return { ...step, form, target, path: path(firstSite.name), ...texts }
}

/**
 * The tour after its form has led to the created site's page; null for other paths. On the step about creating a site, it
 * continues there with that site; on any other step, with the next one, or again with the last.
 */
export function continueAfterCreation(tour: TourRequest, steps: readonly TourStep[], path: string): TourRequest | null {
  const site = /^\/site\/([^/]+)$/.exec(path)?.[1]
  const here = steps[tour.step]
  if (site === undefined || here === undefined || steps.some(({ form }) => form === path)) return null
  const step = here.form === undefined ? Math.min(tour.step + 1, steps.length - 1) : tour.step
  return { ...tour, step, site: decodeURIComponent(site) }
}
