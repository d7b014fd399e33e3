/** What the tours show, to whom, and where (docs/contracts/screens.md). */
import type { TourName, TourWish } from '#web/lib/session/tour-list.ts'
import { t } from './messages.ts'

/** Who takes a tour. */
export interface TourViewer {
  owner: boolean
  admin: boolean
  manager: boolean
  /** Module of servers. */
  ee: boolean
  /**
   * The organization's first site: still to be made by this person, who left the form already (`put_off`) or not
   * (`ahead`), or made during the tour (its name). Absent: not a matter of this tour.
   */
  firstSite?: 'ahead' | 'put_off' | { name: string }
}

/** One stop of a tour. */
export interface TourStep {
  name: string
  /** What is lit; of several matches the first that can be seen. */
  target: string
  /** Screen to go to, below /web, with its hash; absent: the target is part of the shell. */
  path?: string
  title: string
  text: string
  /** Screen that makes what the step is about; for the first of its kind the tour stands aside there. */
  form?: string
  /** Next leads to the form. */
  opensForm?: true
}

interface Stop {
  target: string
  path?: string
  /** Whether there is something to see for this person; default everybody. */
  sees?: (viewer: TourViewer) => boolean
  /** The screen that has to exist when it is another one than `path`. */
  needs?: string
  /** For an organization's first one: the form that makes it, and what is lit in place of the target afterwards. */
  first?: { form: string; made: { target: string; path: (site: string) => string } }
}

const admins = ({ admin }: TourViewer) => admin
const managers = ({ admin, manager }: TourViewer) => admin || manager
const owners = ({ owner }: TourViewer) => owner

/** The page of a site. */
export const sitePath = (site: string): string => `/site/${encodeURIComponent(site)}`

/** On phones the entries stand behind this button: it is lit in their place. */
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
      // The head of its page, with its status and Open admin: what stands above the tabs.
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
  access_token: { target: '.tour-access-token, #tab-overview', path: '/organization#overview', sees: admins },
  users: { target: `aside a[href$="/web/user"], ${menu}`, sees: managers },
  profile: { target: '.tour-profile', sees: managers },
  billing: { target: `aside a[href$="/web/billing"], ${menu}`, sees: owners },
  help: { target: `.tour-help, ${menu}` },
  actions: { target: '.tour-search' },
  magic_login: { target: '[data-row-link]', path: '/site' },
  saved_views: { target: '.tour-views', path: '/site' },
  job_drawer: { target: '.tour-jobs' },
} as const satisfies Record<string, Stop>

type StopName = keyof typeof stops

const tours: Readonly<Record<TourName, readonly StopName[]>> = {
  onboarding: [
    'switcher',
    'search',
    'sites',
    'create_site',
    'add_server',
    'cloud_provider',
    'backup_provider',
    'github',
    'ssh',
    'access_token',
    'users',
    'profile',
    'billing',
    'help',
  ],
  onboardingv2: ['switcher', 'sites', 'create_site', 'add_server', 'cloud_provider', 'users', 'billing'],
  // Rehearsed updates, backups and graphs of servers come with their own work.
  features: ['actions', 'magic_login', 'saved_views', 'job_drawer'],
}

/** The stops of a tour for somebody, of those whose screens exist (`screens`: paths of the route table). */
export function tourSteps(tour: TourName, viewer: TourViewer, screens: readonly string[]): TourStep[] {
  return tours[tour].flatMap((name) => {
    const { target, path, sees, needs, first }: Stop = stops[name]
    if (sees && !sees(viewer)) return []
    const screen = needs ?? path?.replace(/#.*/, '')
    if (screen !== undefined && !screens.includes(screen)) return []
    const step = { name, target, ...(path && { path }), title: t(`tour.${name}`), text: t(`tour.${name}_text`) }
    return [first && screens.includes(first.form) ? firstSiteStep(step, first, viewer.firstSite) : step]
  })
}

/**
 * The stop about creating a site, as it is while that would be the organization's first one and once it is made. Both
 * have one number, because the count of a tour is by role: title and words say that the step goes on.
 */
function firstSiteStep(
  step: TourStep,
  { form, made }: NonNullable<Stop['first']>,
  firstSite: TourViewer['firstSite'],
): TourStep {
  if (firstSite === undefined || firstSite === 'put_off') return { ...step, form }
  if (firstSite === 'ahead') return { ...step, form, opensForm: true, text: t('tour.create_site_first') }
  const { target, path } = made
  const words = { title: t('tour.site_made'), text: t('tour.site_made_text') }
  return { ...step, form, target, path: path(firstSite.name), ...words }
}

/**
 * The tour as it goes on once its form has led to the page of the site it made; null for any other path. The stop about
 * creating one then speaks of that site; from elsewhere it goes on at the next stop, and ends after one more at least.
 */
export function onceMade(tour: TourWish, steps: readonly TourStep[], path: string): TourWish | null {
  const site = /^\/site\/([^/]+)$/.exec(path)?.[1]
  const here = steps[tour.step]
  if (site === undefined || here === undefined || steps.some(({ form }) => form === path)) return null
  const step = here.form === undefined ? Math.min(tour.step + 1, steps.length - 1) : tour.step
  return { ...tour, step, site: decodeURIComponent(site) }
}
