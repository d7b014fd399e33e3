/** What the tours show, to whom, and where (design/ux.md section 6). */
import type { TourName } from '#web/lib/tour-list.ts'
import { t } from './messages.ts'

/** Who takes a tour. */
export interface TourViewer {
  owner: boolean
  admin: boolean
  manager: boolean
  /** Module of servers. */
  ee: boolean
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
}

interface Stop {
  target: string
  path?: string
  /** Whether there is something to see for this person; default everybody. */
  sees?: (viewer: TourViewer) => boolean
  /** The screen that has to exist when it is another one than `path`. */
  needs?: string
}

const admins = ({ admin }: TourViewer) => admin
const managers = ({ admin, manager }: TourViewer) => admin || manager
const owners = ({ owner }: TourViewer) => owner

/** On phones the entries stand behind this button: it is lit in their place. */
const menu = '.tour-menu'

const stops = {
  switcher: { target: '.tour-switcher, .tour-home' },
  search: { target: '.tour-search' },
  sites: { target: `aside a[href$="/web/site"], ${menu}` },
  create_site: { target: 'main .tour-create', path: '/site' },
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
    const { target, path, sees, needs }: Stop = stops[name]
    if (sees && !sees(viewer)) return []
    const screen = needs ?? path?.replace(/#.*/, '')
    if (screen !== undefined && !screens.includes(screen)) return []
    return [{ name, target, ...(path && { path }), title: t(`tour.${name}`), text: t(`tour.${name}_text`) }]
  })
}
