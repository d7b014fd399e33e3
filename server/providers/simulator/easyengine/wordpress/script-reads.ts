import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { readIfThere } from '../machine.ts'
import { actedAs } from './pages.ts'
import type { ScriptContext, ScriptHandler } from './script-context.ts'
import { previousCore } from './script-core.ts'
import { wordpressVersions } from './core-files.ts'
import { prefixOf } from './dump.ts'
import { networkOf, wpConfigPath } from './state.ts'
import { coreVersion } from './wp-core.ts'
import { installed, mainFile, repository, type Kind, type Package } from './wp-packages.ts'

const roleNames = {
  administrator: 'Administrator',
  editor: 'Editor',
  author: 'Author',
  contributor: 'Contributor',
  subscriber: 'Subscriber',
}

const newestOf = (kind: Kind, { name, update }: Package): string | null =>
  update === 'available' ? (repository[kind][name]?.version ?? null) : null

/** Version of what Easydash keeps of a plugin or theme for rolling back. */
function previousOf({ root }: ScriptContext, kind: Kind, name: string): string | null {
  const text = readIfThere(join(root, 'wp-content/.easydash-previous', `${kind}s`, name, mainFile(kind, name)))
  return /^\W*Version: (\S*)/m.exec(text ?? '')?.[1] ?? null
}

function pluginsOf(context: ScriptContext) {
  const auto = context.state.autoUpdates ?? []
  const common = { author: '', description: '', network: false }
  const plugins = installed(context, 'plugin').map((one) => ({
    ...{
      ...common,
      id: one.file,
      kind: 'plugin',
      name: one.title,
      version: one.version,
      active: one.status === 'active',
    },
    ...{ auto_update: auto.includes(one.file), update: newestOf('plugin', one), managed: false },
    previous: previousOf(context, 'plugin', one.name),
  }))
  const folder = join(context.root, 'wp-content/mu-plugins')
  const mustUse = (existsSync(folder) ? readdirSync(folder) : []).map((id) => ({
    ...{ ...common, id, kind: 'must_use', name: id, version: '', active: true, auto_update: false, update: null },
    ...{ previous: null, managed: id === 'easydash-login.php' },
  }))
  return [...plugins, ...mustUse]
}

export const pluginsScript: ScriptHandler = (context) => ({ plugins: pluginsOf(context) })

/** The sites of a network: only the main one is simulated. */
function sitesOf({ site, state }: ScriptContext) {
  const kind = networkOf(site)
  if (kind === null) return null
  const { home: url = '', blogname: title = '' } = state.options
  return {
    total: 1,
    subdomains: kind === 'subdom',
    rows: [{ id: 1, title, path: '/', url, main: true, state: 'live' }],
  }
}

/** All content is as old as the site; only users came later. */
function changedSince({ posts, pages, comments, users }: ScriptContext['state'], since: string) {
  const isNew = (users[0]?.user_registered ?? '') >= since
  return {
    posts: isNew ? posts + pages : 0,
    orders: 0,
    comments: isNew ? comments : 0,
    users: users.filter(({ user_registered: at }) => at >= since).length,
  }
}

export const inspectScript: ScriptHandler = (context, { since }) => {
  const { state } = context
  const version = coreVersion(context)
  const rows = state.events
    .toSorted((a, b) => a.next - b.next)
    .map(({ hook, next, recurrence }) => ({
      id: `${next}|${createHash('md5').update('').digest('hex')}|${hook}`,
      ...{ hook, at: next, interval_seconds: 43_200, schedule: recurrence },
    }))
  return {
    version,
    update: version === wordpressVersions.newest ? null : wordpressVersions.newest,
    previous: previousCore(context),
    ...{ multisite: networkOf(context.site) !== null, sites: sitesOf(context), roles: roleNames },
    plugins: pluginsOf(context),
    themes: installed(context, 'theme').map((one) => ({
      ...{ id: one.name, name: one.title, version: one.version, author: '', network: false, parent: null },
      ...{ active: one.status === 'active', in_use: one.status === 'active', update: newestOf('theme', one) },
      auto_update: (state.autoUpdates ?? []).includes(one.name),
      previous: previousOf(context, 'theme', one.name),
    })),
    events: { total: rows.length, paused: state.eventsPaused === true, rows },
    changed: typeof since === 'string' ? changedSince(state, since) : null,
    counts: { post: state.posts, page: state.pages, comment: state.comments, user: state.users.length },
  }
}

/** Pages of a simulated WordPress besides its homepage have no address. */
export const linksScript: ScriptHandler = ({ machine, site, state }) => {
  const config = readIfThere(wpConfigPath(machine, site)) ?? ''
  const constants = [
    ...config.matchAll(/define\( '(\w+)', (?:'((?:[^'\\]|\\.)*)'|(true|false|null|-?[\d.]+)) \);$/gm),
  ].map(([, name = '', text, value = '']): [string, unknown] => [
    name,
    text === undefined ? JSON.parse(value) : text.replaceAll(/\\([\\'])/g, '$1'),
  ])
  const keys = constants.filter(([name, value]) => /_(?:KEY|SALT)$/.test(name) && /^[\w-]{64}$/.test(String(value)))
  const [admin] = state.users.filter(({ roles }) => roles === 'administrator')
  return {
    title: state.options['blogname'] ?? '',
    ...{ login: admin?.user_login ?? null, email: admin?.user_email ?? null, pages: [], links: 0 },
    ...{ partial: false, doubtful: [], prefix: prefixOf({ machine, site }), home: state.options['home'] ?? '' },
    ...{ keys: keys.length, constants: Object.fromEntries(constants) },
  }
}

export const peopleScript: ScriptHandler = ({ state }, { search, page }) => {
  const part = String(search).toLowerCase()
  const found = state.users.filter((one) =>
    [one.user_login, one.user_email, one.display_name].some((text) => text.toLowerCase().includes(part)),
  )
  const at = Number(page) * 50
  return {
    total: found.length,
    rows: found.slice(at, at + 50).map((one) => ({
      ...{ login: one.user_login, name: one.display_name, email: one.user_email, roles: [one.roles] },
      registered: Math.floor(Date.parse(`${one.user_registered.replace(' ', 'T')}Z`) / 1000),
      from_login: one.account !== undefined,
    })),
  }
}

export const healthScript: ScriptHandler = ({ state }, { late_seconds: lateSeconds }) => {
  const now = Date.now() / 1000
  const late = state.events.filter(({ next }) => now - next > Number(lateSeconds)).toSorted((a, b) => a.next - b.next)
  const [oldest] = late
  return {
    ...{ errors_shown: false, file_editing: true, events_paused: state.eventsPaused === true },
    default_admin: state.users.some((one) => one.user_login === 'admin' && one.roles === 'administrator'),
    late_events:
      oldest && state.eventsPaused !== true
        ? { count: late.length, hook: oldest.hook, seconds: Math.floor(now - oldest.next) }
        : null,
  }
}

/** `check` alone: links are used by visitors. */
export const loginScript: ScriptHandler = ({ state }, { as, key, role }) => {
  const user = actedAs(state, { as: String(as), key: String(key), role: String(role) })
  if (user === 'missing') return { found: false, refused: 'missing' }
  if (user !== null) return { found: true, refused: '' }
  const isPersonal = state.users.some(
    (one) => one.user_login === as && one.account !== undefined && one.account !== key,
  )
  return { found: false, refused: isPersonal ? 'personal' : 'above' }
}
