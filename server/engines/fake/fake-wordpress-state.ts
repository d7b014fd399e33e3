import type { WordPressFacts, WordPressUser } from '#shared/responses/wordpress.ts'
import type { PackageType } from '../wordpress-packages.ts'

/** What a file contains. */
export interface FakePackage {
  readonly type: PackageType
  readonly name: string
  readonly version: string
}

/** The WordPress of a fake site. */
export interface FakeWordPress {
  facts: Omit<WordPressFacts, 'broken'>
  users: WordPressUser[]
  /** A change of its version that goes on; `before` comes back if it is taken back. */
  core?: { readonly operation: string; readonly before: Pick<WordPressFacts, 'version' | 'previous'> }
  /** Files that differ from the pristine package. */
  changed: string[]
  /** Uploaded packages that are not installed, by id. */
  staged?: Record<string, FakePackage>
  /** Packages that were installed, whose originals are kept. */
  kept?: readonly string[]
  /** What was active before an operation, by its id; `network`: the plugins that were it on all sites. */
  before?: { readonly operationId: string; readonly active: readonly string[]; readonly network: readonly string[] }
  /** What there was before a deletion that goes on, by its operation. */
  deletion?: { readonly operationId: string; readonly facts: Pick<WordPressFacts, 'plugins' | 'themes'> }
  /** What was installed or rolled back last. */
  last?: { readonly type: PackageType; readonly id: string; readonly operationId: string }
}

/** Plugin of every fake site that fails when it is activated. */
export const fatalPlugin = 'fatal/fatal.php'
/** Plugin of every fake site with which its pages fail. */
export const pageBreakingPlugin = 'breaks-page/breaks-page.php'

/** Plugin without which the pages of every fake site fail. */
export const neededPlugin = 'needed/needed.php'

/** Version of WordPress with which the pages of every fake site fail. */
export const pageBreakingVersion = '6.6'

/** Whether the pages of the site work. */
export function fakePagesWork(wordpress: FakeWordPress | undefined): boolean {
  if (wordpress?.facts.version === pageBreakingVersion) return false
  const plugins = wordpress?.facts.plugins
  if (plugins && !plugins.some(({ id }) => id === neededPlugin)) return false
  return !plugins?.some(({ id, active }) => id === pageBreakingPlugin && active)
}

/** The WordPress of a new site with this administrator. */
export function newWordPress(adminUser: string): FakeWordPress {
  return {
    facts: {
      version: '6.5.5',
      update: null,
      previous: null,
      multisite: false,
      sites: null,
      plugins: [
        plugin('hello.php', 'Hello Dolly'),
        plugin(fatalPlugin, 'Fatal'),
        plugin(pageBreakingPlugin, 'Breaks the page'),
        plugin(neededPlugin, 'Needed'),
      ],
      themes: [theme('twentytwentyfour', true), theme('twentytwentythree', false)],
      events: {
        total: 1,
        paused: false,
        rows: [
          {
            id: `1893456000|${'0'.repeat(32)}|wp_version_check`,
            hook: 'wp_version_check',
            at: 1_893_456_000,
            interval_seconds: 43_200,
            schedule: 'twicedaily',
          },
        ],
      },
      counts: { post: 1, page: 2, comment: 1, user: 1 },
      roles: { administrator: 'Administrator', editor: 'Editor', subscriber: 'Subscriber' },
    },
    users: [
      {
        login: adminUser,
        name: adminUser,
        email: `${adminUser}@example.com`,
        roles: ['administrator'],
        registered: 0,
        from_login: false,
      },
    ],
    changed: [],
  }
}

/** A plugin as it is after its installation. */
export const plugin = (id: string, name: string): WordPressFacts['plugins'][number] => ({
  id,
  kind: 'plugin',
  name,
  version: '1.0',
  author: 'Example',
  description: '',
  active: false,
  network: false,
  auto_update: false,
  update: null,
  previous: null,
  managed: false,
})

/** A theme as it is after its installation. */
export const theme = (id: string, active: boolean): WordPressFacts['themes'][number] => ({
  id,
  name: id,
  version: '1.0',
  author: 'Example',
  active,
  in_use: active,
  network: false,
  parent: null,
  auto_update: false,
  update: null,
  previous: null,
})
