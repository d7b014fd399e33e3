import { createHash } from 'node:crypto'
import type { SiteRow } from '../database.ts'
import { documentRoot } from '../layout.ts'
import { readIfThere, type Machine } from '../machine.ts'
import { tableTexts, type DumpRows } from './dump-tables.ts'
import { phpList, serialized, type PhpValue } from './php-values.ts'
import { databaseFile, networkOf, wpConfigPath, type WordPressState, type WordPressUser } from './state.ts'
import { installed } from './wp-packages.ts'

/** What a dump is made of. */
interface Dumped {
  readonly machine: Machine
  readonly site: SiteRow
  /** Null: a database without a WordPress, whose dump has no tables. */
  readonly state: WordPressState | null
}

const dumpBegin = '-- MariaDB dump, simulated\n'

/** The prefix of the tables of a site. */
export const prefixOf = ({ machine, site }: Pick<Dumped, 'machine' | 'site'>): string =>
  /^\$table_prefix = '(\w+)';$/m.exec(readIfThere(wpConfigPath(machine, site)) ?? '')?.[1] ?? 'wp_'

/** The tables of a site by their names, as a dump has them. */
export function textsOf({ machine, site, state }: Dumped): Map<string, string> {
  if (state === null) return new Map()
  const prefix = prefixOf({ machine, site })
  const own = tableTexts(prefix, rowsOf({ machine, site, state, prefix }), networkOf(site) !== null)
  return new Map([...own, ...Object.entries(state.tables ?? {})])
}

/**
 * The dump of a site's database, as WP-CLI and backups write it: tables that a real WordPress starts with, and those that were added. Its second
 * line has what the simulation has, for the way back, unless only some tables are wanted. A test can put a real dump beside the database,
 * which is the dump then.
 */
export function dumpOf(about: Dumped, only: readonly string[] | null = null): string {
  const { machine, site, state } = about
  const real = readIfThere(machine.path(databaseFile(String(site['db_name'])).replace(/\.json$/, '.sql')))
  if (real !== null) return real
  const texts = [...textsOf(about)].filter(([name]) => only === null || only.includes(name))
  const tables = texts.map(([name, text]) => `DROP TABLE IF EXISTS \`${name}\`;\n${text}\n`)
  const begin = only === null ? `-- ${JSON.stringify(state)}\n` : ''
  return `${dumpBegin}${begin}${tables.length === 0 ? '' : 'SET NAMES utf8mb4;\n'}${tables.join('')}-- Dump completed\n`
}

/** What a dump holds; undefined if it is none of these. */
export const readDump = (text: string): WordPressState | undefined =>
  text.startsWith(`${dumpBegin}-- `) ? (JSON.parse(text.split('\n')[1]?.slice(3) ?? '') as WordPressState) : undefined

function rowsOf(about: Dumped & { readonly state: WordPressState; readonly prefix: string }): DumpRows {
  const { state, prefix } = about
  const url = state.options['home'] ?? ''
  // Two dumps of the same content are the same.
  const now = state.users[0]?.user_registered ?? '2024-01-01 00:00:00'
  const author = state.users[0]?.ID ?? 1
  const dates = { post_date: now, post_date_gmt: now, post_modified: now, post_modified_gmt: now }
  const post = (id: number, type: 'post' | 'page', title: string, comments: number) => ({
    ...{ ID: id, post_author: author, ...dates, post_title: title, post_content: `<p>${title}</p>` },
    ...{ post_status: 'publish', comment_status: 'open', ping_status: 'open', post_type: type },
    ...{ post_name: title.toLowerCase().replaceAll(' ', '-'), guid: `${url}/?p=${id}`, comment_count: comments },
  })
  const posts = Array.from({ length: state.posts }, (_, at) =>
    post(at + 1, 'post', at === 0 ? 'Hello world' : `Post ${at + 1}`, at === 0 ? state.comments : 0),
  )
  const pages = Array.from({ length: state.pages }, (_, at) => post(state.posts + at + 1, 'page', `Page ${at + 1}`, 0))
  const comment = { comment_post_ID: 1, comment_author: 'A visitor', comment_date: now, comment_date_gmt: now }
  return {
    posts: [...posts, ...pages],
    comments: Array.from({ length: state.comments }, (_, at) => ({
      ...comment,
      ...{ comment_content: `Comment ${at + 1}`, comment_approved: '1', comment_type: 'comment' },
    })),
    terms: [{ name: 'Uncategorized', slug: 'uncategorized' }],
    term_taxonomy: [{ term_id: 1, taxonomy: 'category', count: state.posts }],
    term_relationships: posts.map(({ ID }) => ({ object_id: ID, term_taxonomy_id: 1 })),
    options: optionsOf(about),
    users: state.users.map((user) => ({
      ...{ ID: user.ID, user_login: user.user_login, user_nicename: user.user_login, user_email: user.user_email },
      ...{ user_pass: hashOf(user), user_registered: user.user_registered, display_name: user.display_name },
    })),
    usermeta: state.users.flatMap((user) => metaOf(user, prefix)),
    ...networkRows(about, now),
  }
}

/** Rows of the tables that only networks have, with the main site. */
function networkRows(
  { site, state }: { readonly site: SiteRow; readonly state: WordPressState },
  now: string,
): DumpRows {
  const place = { domain: site.site_url, path: '/' }
  const admins = state.users.filter(({ roles }) => roles === 'administrator').map(({ user_login: login }) => login)
  const meta = {
    ...{ site_name: state.options['blogname'] ?? '', admin_email: state.options['admin_email'] ?? '' },
    ...{ siteurl: `${state.options['siteurl']}/`, site_admins: serialized(phpList(admins)) },
  }
  return {
    site: [place],
    blogs: [{ ...place, site_id: 1, registered: now, last_updated: now, public: 1 }],
    sitemeta: Object.entries(meta).map(([key, value]) => ({ site_id: 1, meta_key: key, meta_value: value })),
  }
}

/** WordPress accepts this old kind of hash, and replaces it. Who has no password has no hash either. */
const hashOf = ({ password }: WordPressUser): string =>
  password === '' ? '!' : createHash('md5').update(password).digest('hex')

function metaOf({ ID, roles, account, display_name: name }: WordPressUser, prefix: string) {
  const values: Readonly<Record<string, string>> = {
    nickname: name,
    [`${prefix}capabilities`]: serialized(roles === '' ? {} : { [roles]: true }),
    [`${prefix}user_level`]: roles === 'administrator' ? '10' : '0',
    ...(account === undefined ? {} : { easydash_account: account }),
  }
  return Object.entries(values).map(([key, value]) => ({ user_id: ID, meta_key: key, meta_value: value }))
}

function optionsOf({ machine, site, state, prefix }: Parameters<typeof rowsOf>[0]) {
  const files = new Map(installed({ machine, site, state }, 'plugin').map(({ name, file }) => [name, file]))
  const version = readIfThere(`${documentRoot(machine, site)}/wp-includes/version.php`) ?? ''
  const structure = /\$wp_db_version = (\d+);/.exec(version)?.[1] ?? '60421'
  const options: Readonly<Record<string, string>> = {
    ...state.options,
    template: state.theme,
    stylesheet: state.theme,
    active_plugins: serialized(phpList(state.activePlugins.flatMap((name) => files.get(name) ?? []))),
    cron: serialized(eventsOf(state)),
    [`${prefix}user_roles`]: serialized(roles),
    db_version: structure,
    initial_db_version: structure,
    ...{ blog_charset: 'UTF-8', date_format: 'F j, Y', time_format: 'g:i a', start_of_week: '1', gmt_offset: '0' },
    ...{ default_role: 'subscriber', default_category: '1', default_comment_status: 'open', comment_order: 'asc' },
    ...{ posts_per_page: '10', show_on_front: 'posts', uploads_use_yearmonth_folders: '1', rewrite_rules: '' },
  }
  return Object.entries(options).map(([name, value]) => ({ option_name: name, option_value: value, autoload: 'yes' }))
}

function eventsOf({ events }: WordPressState): PhpValue {
  const key = createHash('md5').update(serialized({})).digest('hex')
  const due = Map.groupBy(events, ({ next }) => String(next))
  const hooks = (list: WordPressState['events']) =>
    Object.fromEntries(
      list.map(({ hook, recurrence }): [string, PhpValue] => {
        const schedule = recurrence === '' ? false : recurrence === '1 day' ? 'daily' : 'twicedaily'
        const interval = recurrence === '1 day' ? 86_400 : 43_200
        return [hook, { [key]: { schedule, args: {}, ...(recurrence === '' ? {} : { interval }) } }]
      }),
    )
  return { ...Object.fromEntries([...due].map(([next, list]) => [next, hooks(list)])), version: 2 }
}

const common = 'read level_0'
const posts = 'edit_posts delete_posts'
const published = 'upload_files publish_posts edit_published_posts delete_published_posts'
const others =
  'moderate_comments manage_categories manage_links unfiltered_html edit_others_posts delete_others_posts edit_pages edit_others_pages edit_published_pages publish_pages delete_pages delete_others_pages delete_published_pages read_private_posts edit_private_posts delete_private_posts read_private_pages edit_private_pages delete_private_pages level_7'
const everything =
  'manage_options edit_dashboard update_core export import list_users create_users edit_users delete_users remove_users promote_users install_plugins activate_plugins edit_plugins update_plugins delete_plugins install_themes switch_themes edit_themes update_themes delete_themes edit_theme_options edit_files unfiltered_upload level_10'

const role = (name: string, ...capabilities: readonly string[]) => ({
  name,
  capabilities: Object.fromEntries(capabilities.flatMap((list) => list.split(' ')).map((one) => [one, true])),
})

const roles = {
  administrator: role('Administrator', common, posts, published, others, everything),
  editor: role('Editor', common, posts, published, others),
  author: role('Author', common, posts, published),
  contributor: role('Contributor', common, posts),
  subscriber: role('Subscriber', common),
}
