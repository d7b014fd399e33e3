import { msg } from '#shared/localized-message.ts'
import type { WordPressUser } from '#shared/responses/wordpress.ts'
import type { WordPressChange } from '#shared/rules/wordpress-changes.ts'
import { EngineError } from '../engine.ts'
import { fatalPlugin, type FakeWordPress } from './fake-wordpress-state.ts'

const missing = () =>
  new EngineError('not_found', msg`It does not exist on this site any more.`, { nextAction: msg`Refresh the list.` })

const stillActive = () =>
  new EngineError('conflict', msg`What is active can’t be deleted.`, { nextAction: msg`Deactivate it first.` })

const nameTaken = () =>
  new EngineError('invalid', msg`WordPress refused it: ${'Sorry, that username already exists!'}`, {
    nextAction: msg`Correct that and try again.`,
  })

function found<T>(value: T | undefined): T {
  if (value === undefined) throw missing()
  return value
}

/** The user of that name. Throws EngineError `not_found`. */
export const findUser = ({ users }: FakeWordPress, login: string) => found(users.find((user) => user.login === login))

/** The value, if the site is a network. */
function ofNetwork<T>({ multisite }: FakeWordPress['facts'], value: T): T {
  if (multisite) return value
  throw new EngineError('unsupported', msg`The site is not a network.`, { nextAction: msg`Turn on multisite first.` })
}

/** Makes the change in place; returns how many events ran, or null. */
export function applyChange(wordpress: FakeWordPress, change: WordPressChange): number | null {
  const { facts, users } = wordpress
  switch (change.kind) {
    case 'activate_plugin':
    case 'deactivate_plugin': {
      const one = found(facts.plugins.find(({ id }) => id === change.plugin))
      const network = change.kind === 'activate_plugin' && change.network === true
      if (network) ofNetwork(facts, true)
      if (change.kind === 'activate_plugin' && one.id === fatalPlugin) {
        throw new EngineError(
          'unavailable',
          msg`The site’s own code failed: ${'It is fatal.'} (${fatalPlugin}, line ${1})`,
          {
            nextAction: msg`Look at the error log of the site.`,
          },
        )
      }
      one.active = change.kind === 'activate_plugin'
      one.network = network || (one.active && one.network)
      return null
    }
    case 'delete_plugin':
      if (facts.plugins.some(({ id, active }) => id === change.plugin && active)) throw stillActive()
      facts.plugins = facts.plugins.filter(({ id }) => id !== change.plugin)
      return null
    case 'set_plugin_auto_update':
      found(facts.plugins.find(({ id }) => id === change.plugin)).auto_update = change.enabled
      return null
    case 'activate_theme':
      found(facts.themes.find(({ id }) => id === change.theme))
      for (const one of facts.themes) one.active = one.in_use = one.id === change.theme
      return null
    case 'delete_theme':
      if (facts.themes.some(({ id, in_use }) => id === change.theme && in_use)) throw stillActive()
      facts.themes = facts.themes.filter(({ id }) => id !== change.theme)
      return null
    case 'set_theme_auto_update':
      found(facts.themes.find(({ id }) => id === change.theme)).auto_update = change.enabled
      return null
    case 'add_user': {
      const { login, email, role } = change
      if (users.some((user) => user.login === login)) {
        throw nameTaken()
      }
      const registered = Math.floor(Date.now() / 1000)
      users.push({ login, name: login, email, roles: [role], registered, from_login: false })
      return null
    }
    case 'set_role': {
      const user = findUser(wordpress, change.login)
      if (change.role !== 'administrator') keepAdministrator(users, change.login)
      user.roles = [change.role]
      return null
    }
    case 'rename_user': {
      const { login, to } = change
      // It was renamed already.
      if (users.every((user) => user.login !== login)) return (findUser(wordpress, to), null)
      if (users.some((user) => user.login === to)) throw nameTaken()
      findUser(wordpress, login).login = to
      return null
    }
    case 'delete_user':
      keepAdministrator(users, change.login)
      wordpress.users = users.filter(({ login }) => login !== change.login)
      return null
    case 'run_event':
      found(facts.events.rows.find(({ id }) => id === change.id))
      return 1
    case 'pause_events':
      facts.events.paused = change.paused
      return null
    case 'flush_cache':
      return null
    case 'set_theme_network':
      found(facts.themes.find(({ id }) => id === change.theme)).network = ofNetwork(facts, change.enabled)
      return null
    case 'set_super_admin': {
      const user = findUser(wordpress, change.login)
      if (!change.enabled && users.every((one) => one === user || one.super_admin !== true))
        throw new EngineError('conflict', msg`The site would have no administrator left.`, {
          nextAction: msg`Make another user an administrator first.`,
        })
      user.super_admin = ofNetwork(facts, change.enabled)
      return null
    }
    case 'add_network_site':
    case 'delete_network_site':
      facts.sites = changedSites(facts.sites, change)
      return null
  }
}

type Sites = FakeWordPress['facts']['sites']

function changedSites(
  sites: Sites,
  change: Extract<WordPressChange, { kind: 'add_network_site' | 'delete_network_site' }>,
): Sites {
  if (sites === null)
    throw new EngineError('unsupported', msg`The site is no network in subdirectories.`, {
      nextAction: msg`Turn on multisite first.`,
    })
  const { rows } = sites
  if (change.kind === 'delete_network_site') {
    if (rows.some(({ id, main }) => main && id === change.id))
      throw new EngineError('conflict', msg`The first site of a network can’t be deleted.`, {
        nextAction: msg`Delete another one.`,
      })
    const left = rows.filter(({ id }) => id !== change.id)
    return { ...sites, total: left.length, rows: left }
  }
  const path = `/${change.path}/`
  if (rows.some((row) => row.path === path) || change.path.startsWith('wp-'))
    throw new EngineError('conflict', msg`The path is taken by a site, a page or a folder, or WordPress keeps it.`, {
      nextAction: msg`Choose another path.`,
    })
  const id = Math.max(...rows.map((row) => row.id)) + 1
  const added = { id, title: change.title, path, url: '', main: false, state: 'live' } as const
  return { ...sites, total: rows.length + 1, rows: [...rows, added] }
}

function keepAdministrator(users: readonly WordPressUser[], login: string): void {
  const administrators = users.filter(({ roles }) => roles.includes('administrator'))
  if (administrators.length === 1 && administrators[0]?.login === login) {
    throw new EngineError('conflict', msg`The site would have no administrator left.`, {
      nextAction: msg`Make another user an administrator first.`,
    })
  }
}
