import { existsSync, renameSync, rmSync } from 'node:fs'
import { basename } from 'node:path'
import { containerPath } from '../layout.ts'
import type { SiteRow } from '../database.ts'
import { put, readIfThere, type Machine } from '../machine.ts'

/** A user of a simulated WordPress. */
export interface WordPressUser {
  readonly ID: number
  user_login: string
  user_email: string
  display_name: string
  user_registered: string
  roles: string
  password: string
  /** The person whose login link made it. */
  account?: string
  /** Hashes of the secrets in cookies. */
  sessions?: string[]
}

/** What the database of a simulated WordPress holds. Files (plugins, themes, its version) are files of the site. */
export interface WordPressState {
  options: Record<string, string>
  users: WordPressUser[]
  activePlugins: string[]
  theme: string
  /** Plugin files and themes that update themselves. */
  autoUpdates?: string[]
  /** What was active before an operation of Easydash. */
  before?: { readonly operation: string; readonly plugins: readonly string[]; readonly theme: string }
  /** Options before an operation of Easydash. */
  settingsBefore?: { readonly operation: string; readonly options: Readonly<Record<string, string>> }
  /** Seconds since 1970. */
  events: { hook: string; next: number; recurrence: string }[]
  /** As Easydash notes it in an option. */
  eventsPaused?: boolean
  posts: number
  pages: number
  comments: number
  /** Tables besides those of WordPress, as a dump has them. */
  tables?: Record<string, string>
}

export const databaseFile = (name: string): string => `/var/lib/simulated/databases/${basename(name)}.json`

/** Whether the database server has a database of this name. */
export const hasDatabase = (machine: Pick<Machine, 'path'>, name: string): boolean =>
  existsSync(machine.path(databaseFile(name)))

/** Has the name of the user that has rights on a database and nothing else. */
export const userFile = (name: string): string => `/var/lib/simulated/database-users/${basename(name)}`

/** Makes a database, with its user if it has one of its own. */
export function createDatabase(machine: Pick<Machine, 'path'>, name: string, user?: string): void {
  if (user !== undefined) put(machine.path(userFile(name)), user)
  put(machine.path(databaseFile(name)), 'null')
}

/** Removes both. */
export function dropDatabase(machine: Pick<Machine, 'path'>, name: string): void {
  for (const file of [userFile(name), databaseFile(name)]) rmSync(machine.path(file), { force: true })
}

/** The WordPress in a database; null if there is none. */
export function readDatabase(machine: Pick<Machine, 'path'>, name: string): WordPressState | null {
  return JSON.parse(readIfThere(machine.path(databaseFile(name))) ?? 'null') as WordPressState | null
}

/** In one step: visitors and WP-CLI read it at any moment. */
export function writeDatabase(machine: Pick<Machine, 'path'>, name: string, state: WordPressState): void {
  const path = machine.path(databaseFile(name))
  put(`${path}.${process.pid}`, JSON.stringify(state))
  renameSync(`${path}.${process.pid}`, path)
}

/** The kind of network that a WordPress is; null for a single site. */
export const networkOf = (site: SiteRow): 'subdir' | 'subdom' | null => {
  const kind = site['app_sub_type']
  return kind === 'subdir' || kind === 'subdom' ? kind : null
}

/** Where `wp-config.php` lies: above the document root. */
export const wpConfigPath = (machine: Pick<Machine, 'path'>, site: SiteRow): string =>
  containerPath(machine, site, site.site_container_fs_path.replace(/[^/]+$/, 'wp-config.php'))

/** Writes `wp-config.php`. */
export function writeConfig(machine: Machine, site: SiteRow, prefix: string): void {
  const constants = {
    DB_NAME: site['db_name'],
    DB_USER: site['db_user'],
    DB_PASSWORD: site['db_password'],
    DB_HOST: `${site['db_host']}:${site['db_port']}`,
  }
  const lines = Object.entries(constants).map(([name, value]) => `define( '${name}', '${value}' );`)
  if (networkOf(site) !== null) lines.push("define( 'MULTISITE', true );")
  put(wpConfigPath(machine, site), ['<?php', ...lines, `$table_prefix = '${prefix}';`, ''].join('\n'))
}

/** A WordPress that was just installed. */
export function freshWordPress(site: SiteRow, theme: string): WordPressState {
  const url = `${site['site_ssl'] ? 'https' : 'http'}://${site.site_url}`
  const now = new Date()
  return {
    options: {
      siteurl: url,
      home: url,
      blogname: site['app_admin_url'] ?? '',
      blogdescription: '',
      admin_email: site['app_admin_email'] ?? '',
      timezone_string: '',
      WPLANG: '',
      blog_public: '1',
      permalink_structure: '/%year%/%monthnum%/%day%/%postname%/',
    },
    users: [
      {
        ID: 1,
        user_login: site['app_admin_username'] ?? '',
        user_email: site['app_admin_email'] ?? '',
        display_name: site['app_admin_username'] ?? '',
        user_registered: now.toISOString().slice(0, 19).replace('T', ' '),
        roles: 'administrator',
        password: site['app_admin_password'] ?? '',
      },
    ],
    activePlugins: [],
    theme,
    events: freshEvents(),
    posts: 1,
    pages: 2,
    comments: 1,
  }
}

/** What a WordPress schedules by itself. */
export const freshEvents = (): WordPressState['events'] =>
  ['wp_version_check', 'wp_update_plugins', 'wp_scheduled_delete'].map((hook, at) => ({
    hook,
    next: Math.floor(Date.now() / 1000) + 3600 * at,
    recurrence: at === 2 ? '1 day' : '12 hours',
  }))
