import * as z from 'zod/mini'
import { maxListedNetworkSites } from '../rules/multisite.ts'
import { described, person, timestamp } from '../schema.ts'
import { previousCore } from './wordpress-core.ts'

/** Longest texts that an engine passes on from a site. */
const text = z.string().check(z.maxLength(300))
const version = z.string().check(z.maxLength(40))
const count = z.int().check(z.nonnegative())

/** Kinds of plugins: those one can activate, those WordPress always loads, and single files that replace a part of it. */
export const pluginKinds = ['plugin', 'must_use', 'drop_in'] as const

const plugin = z.object({
  id: described(text, 'Path of its main file below the folder of plugins'),
  kind: z.enum(pluginKinds),
  name: text,
  version,
  author: text,
  description: text,
  active: z.boolean(),
  network: described(z.boolean(), 'Active on all sites of the network'),
  auto_update: z.boolean(),
  update: described(z.nullable(version), 'Newer version that WordPress knows of'),
  previous: described(z.nullable(version), 'Version before, which can be rolled back to'),
  managed: described(z.boolean(), 'Belongs to how the site is run; can’t be changed'),
})

/** A plugin of a site. */
export type WordPressPlugin = z.infer<typeof plugin>

const plugins = z.array(plugin).check(z.maxLength(1_000))

/** What an engine reads of a site's plugins. */
export const readPlugins = z.object({ plugins })

/** The plugins of a site (`list_plugins`). Here `plugin` is what the facts call `id`. */
export const pluginList = z
  .array(z.extend(z.omit(plugin, { id: true }), { plugin: plugin.shape.id }))
  .check(z.maxLength(1_000))

const theme = z.object({
  id: described(text, 'Its folder'),
  name: text,
  version,
  author: text,
  active: z.boolean(),
  network: described(z.boolean(), 'All sites of the network can use it'),
  in_use: described(z.boolean(), 'Active, or the parent of the active one'),
  parent: z.nullable(text),
  auto_update: z.boolean(),
  update: z.nullable(version),
  previous: z.nullable(version),
})

/** The themes of a site (`list_themes`). Here `theme` is what the facts call `id`. */
export const themeList = z
  .array(z.extend(z.omit(theme, { id: true }), { theme: theme.shape.id }))
  .check(z.maxLength(200))

/** A theme of a site. */
export type WordPressTheme = z.infer<typeof theme>

const event = z.object({
  id: text,
  hook: text,
  at: described(count, 'Seconds since 1970'),
  interval_seconds: described(z.nullable(count), 'Null: it runs once'),
  schedule: described(z.nullable(text), 'WordPress’ name of the interval; null: it runs once'),
})

/** The scheduled events of a site (`list_cron`). */
export const cronList = z
  .array(
    z.object({
      hook: text,
      next: timestamp,
      schedule: described(z.nullable(text), 'How often, in WordPress’ words; null: it runs once'),
      late: described(z.boolean(), 'It should have run a quarter of an hour ago'),
      event: described(text, 'Tells events of one hook apart (`run_cron`)'),
    }),
  )
  .check(z.maxLength(200))

/** A scheduled event of a site. */
export type WordPressEvent = z.infer<typeof event>

const networkSite = z.object({
  id: described(count, 'WordPress’ number of the site'),
  title: text,
  path: described(text, 'Of its address'),
  url: described(text, 'Without a slash at the end'),
  main: described(z.boolean(), 'The first site, which can’t be deleted'),
  state: z.enum(['live', 'archived', 'spam', 'deleted']),
})

/** A site of a network (multisite). */
export type NetworkSite = z.infer<typeof networkSite>

const networkSites = z.object({
  total: count,
  subdomains: z.boolean(),
  rows: described(z.array(networkSite).check(z.maxLength(maxListedNetworkSites)), 'The oldest ones'),
})

/** What an engine reads of a site's WordPress. */
export const wordpressFacts = z.object({
  version,
  update: described(z.nullable(version), 'Newer version of WordPress that it knows of'),
  broken: described(
    z.nullable(text),
    'Why WordPress does not load with the site’s own code; it was then read without it. Otherwise null.',
  ),
  previous: described(
    z.nullable(previousCore),
    'What the last change of the version replaced; null if nothing is kept',
  ),
  multisite: z.boolean(),
  sites: described(z.nullable(networkSites), 'The sites of the network; null for a single site'),
  plugins,
  themes: z.array(theme).check(z.maxLength(200)),
  events: z.object({
    total: count,
    paused: z.boolean(),
    rows: described(z.array(event).check(z.maxLength(200)), 'The next ones'),
  }),
  counts: described(
    z.record(text, count),
    'Numbers of posts, pages, comments and so on, by kind; of all sites of a network',
  ),
  roles: described(z.record(text, text), 'Names of the roles, by key'),
})

/** What an engine reads of a site's WordPress. */
export type WordPressFacts = z.infer<typeof wordpressFacts>

/** What was last read of a site's WordPress, and when; null if nothing was read yet. */
export const storedFacts = z.object({
  facts: z.nullable(wordpressFacts),
  measured_at: z.nullable(timestamp),
})

const account = z.object({
  login: text,
  name: text,
  email: person,
  roles: z.array(text).check(z.maxLength(20)),
  registered: described(count, 'Seconds since 1970'),
  from_login: described(z.boolean(), 'Made by "Open admin" for a person of the organization'),
  super_admin: z.optional(described(z.boolean(), 'Manages the whole network')),
})

/** A page of a site's WordPress users, oldest first. */
export const wordpressUsers = z.object({
  total: count,
  rows: z.array(account).check(z.maxLength(50)),
})

/** The WordPress users of a site (`list_users`), oldest first. */
export const userList = z.array(
  z.object({
    user: described(person, 'Username, as other actions take it'),
    login: text,
    name: text,
    email: person,
    role: described(z.nullable(text), 'Its first one; null: none'),
  }),
)

/** A page of a site's WordPress users. */
export type WordPressUsers = z.infer<typeof wordpressUsers>

/** A WordPress user of a site. */
export type WordPressUser = z.infer<typeof account>

/** Users on a page of `wordpressUsers`. */
export const usersPerPage = 50

/** A new password of a WordPress user, shown once. */
export const newPassword = z.object({ password: z.string() })

/** A link that signs in to WordPress, for one use within 30 seconds. */
export const loginLink = z.object({ url: z.url() })

/** Result of a change that needs no job. */
export const wordpressChanged = z.object({
  ran: described(z.nullable(z.int()), 'How many scheduled events ran; null if it was another change'),
})
