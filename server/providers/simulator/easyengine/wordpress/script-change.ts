import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { flushObjects } from '../redis.ts'
import { refuse, type ScriptContext, type ScriptHandler } from './script-context.ts'
import { keepDeleted } from './script-files.ts'
import { networkOf, type WordPressState, type WordPressUser } from './state.ts'
import { folderOf, installed, type Kind, type Package } from './wp-packages.ts'

type Change = Readonly<Record<string, unknown>> & { readonly kind: string }

/** The change as `change.php` makes it. */
export const changeScript: ScriptHandler = (context, { change: given, operation, keep, password, shared }) => {
  const { state } = context
  const change = given as Change
  const text = (name: string): string => String(change[name])
  if (typeof operation === 'string' && state.before?.operation !== operation)
    state.before = { operation, plugins: [...state.activePlugins], theme: state.theme }
  switch (change.kind) {
    case 'activate_plugin':
    case 'deactivate_plugin': {
      const { name } = found(context, 'plugin', text('plugin'))
      if (change['network'] === true && networkOf(context.site) === null) throw refuse('not_multisite')
      state.activePlugins = state.activePlugins.filter((one) => one !== name)
      if (change.kind === 'activate_plugin') state.activePlugins.push(name)
      break
    }
    case 'delete_plugin':
      removePackage(context, 'plugin', text('plugin'), keep === true)
      break
    case 'delete_theme':
      removePackage(context, 'theme', text('theme'), keep === true)
      break
    case 'set_plugin_auto_update':
      toggle(state, found(context, 'plugin', text('plugin')).file, change['enabled'] === true)
      break
    case 'set_theme_auto_update':
      toggle(state, found(context, 'theme', text('theme')).name, change['enabled'] === true)
      break
    case 'activate_theme':
      state.theme = found(context, 'theme', text('theme')).name
      break
    case 'undo':
      undo(state, text('operation'))
      break
    case 'set_password':
      userOf(state, text('login')).password = String(password)
      delete userOf(state, text('login')).sessions
      break
    case 'run_event':
      runEvent(state, text('id'))
      return { ran: 1 }
    case 'pause_events':
      state.eventsPaused = change['paused'] === true
      break
    case 'flush_cache':
      const cache = join(context.root, 'wp-content/cache')
      for (const name of existsSync(cache) ? readdirSync(cache) : []) rmSync(join(cache, name), { recursive: true })
      if (shared !== true) flushObjects(context.machine, context.site)
      break
    default:
      changeUsers(state, change, text)
  }
  return { ran: null }
}

/** One event, by time, key and hook; a recurring one keeps its schedule. */
function runEvent(state: WordPressState, id: string): void {
  const [time = '', , hook = ''] = id.split('|', 3)
  const event = state.events.find((one) => one.hook === hook && one.next === Number(time))
  if (!event) throw refuse('missing')
  event.next = Math.floor(Date.now() / 1000) + 43_200
}

function found(context: ScriptContext, kind: Kind, id: string): Package {
  const one = installed(context, kind).find(({ name, file }) => (kind === 'plugin' ? file : name) === id)
  if (!one) throw refuse('missing')
  return one
}

function removePackage(context: ScriptContext, kind: Kind, id: string, isKept: boolean): void {
  const { state } = context
  const one = installed(context, kind).find(({ name, file }) => (kind === 'plugin' ? file : name) === id)
  if (!one) return
  if (one.status === 'active') throw refuse('active')
  const path = join(folderOf(context, kind), kind === 'plugin' ? (one.file.split('/')[0] ?? '') : one.name)
  if (isKept) keepDeleted(context, path)
  else rmSync(path, { recursive: true, force: true })
  toggle(state, id, false)
}

function toggle(state: WordPressState, id: string, isOn: boolean): void {
  const others = (state.autoUpdates ?? []).filter((one) => one !== id)
  state.autoUpdates = isOn ? [...others, id] : others
}

function undo(state: WordPressState, operation: string): void {
  if (state.before?.operation !== operation) return
  state.activePlugins = [...state.before.plugins]
  state.theme = state.before.theme
  delete state.before
}

function userOf({ users }: WordPressState, login: string): WordPressUser {
  const user = users.find((one) => one.user_login === login)
  if (!user) throw refuse('missing')
  return user
}

function keepAdministrator({ users }: WordPressState, user: WordPressUser): void {
  const isOther = (one: WordPressUser) => one !== user && one.roles === 'administrator'
  if (user.roles === 'administrator' && !users.some((one) => isOther(one))) throw refuse('last_administrator')
}

const taken = () => refuse('invalid', 'Sorry, that username already exists!')

function changeUsers(state: WordPressState, change: Change, text: (name: string) => string): void {
  const { users } = state
  const isTaken = (login: string) => users.some((one) => one.user_login === login)
  switch (change.kind) {
    case 'add_user':
      if (isTaken(text('login'))) throw taken()
      users.push({
        ID: Math.max(0, ...users.map(({ ID }) => ID)) + 1,
        ...{ user_login: text('login'), user_email: text('email'), display_name: text('login'), roles: text('role') },
        user_registered: new Date().toISOString().slice(0, 19).replace('T', ' '),
        password: '',
      })
      break
    case 'set_role': {
      const user = userOf(state, text('login'))
      if (text('role') !== 'administrator') keepAdministrator(state, user)
      user.roles = text('role')
      break
    }
    case 'rename_user':
      if (!isTaken(text('login'))) userOf(state, text('to'))
      else if (isTaken(text('to'))) throw taken()
      else userOf(state, text('login')).user_login = text('to')
      break
    case 'delete_user': {
      const user = users.find((one) => one.user_login === text('login'))
      if (!user) break
      keepAdministrator(state, user)
      state.users = users.filter((one) => one !== user)
      break
    }
    default:
      throw refuse('no_network')
  }
}
