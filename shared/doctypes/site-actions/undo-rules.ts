import { isObject } from '../../parse-json.ts'
import { engineNames } from '../../rules/engines.ts'
import { defaultPhpLimits, memoryLimitsMb, uploadLimitsOf } from '../../rules/php-limits.ts'
import type { UndoRule } from '../../undo.ts'

/** Whether all of a document is known: it leaves out what is not set, and a reference has nothing but its name. */
const isWhole = ({ status }: Readonly<Record<string, unknown>>): boolean => typeof status === 'string'

/** The PHP version before. */
export const undoPhpVersion: UndoRule = ({ php_version }) =>
  typeof php_version === 'string' ? { action: 'set_php_version', args: { php_version }, fields: ['php_version'] } : null

/** Restores a site that was live. One that was suspended would be open to visitors then, and one that failed comes back as it was. */
export const undoArchive: UndoRule = ({ status }) => (status === 'Live' ? { action: 'restore_archive' } : null)

/** The limits of PHP before; null in the document is the default. Those that are not offered, which people set on a server, can't be chosen again. */
export const undoPhpLimits: UndoRule = (before, args) => {
  if (!isWhole(before)) return null
  const engine = engineNames.find((name) => name === before['engine'])
  const { memoryMb, uploadMb } = defaultPhpLimits(engine)
  const limits = [
    { name: 'memory_mb', was: String(before['memory_mb'] ?? memoryMb), offered: memoryLimitsMb as readonly string[] },
    { name: 'upload_mb', was: String(before['upload_mb'] ?? uploadMb), offered: uploadLimitsOf(engine) },
  ]
  const changed = limits.filter(({ name, was }) => String(args[name] ?? was) !== was)
  if (changed.length === 0 || changed.some(({ was, offered }) => !offered.includes(was))) return null
  return {
    action: 'set_limits',
    args: Object.fromEntries(changed.map(({ name, was }) => [name, was])),
    fields: changed.map(({ name }) => name),
  }
}

/** Debug mode as it was. One that was on comes back with the end that it had, until that is over, and is not prolonged back. */
export const undoDebug: UndoRule = (before, { enabled }) => {
  const { debug_until: until } = before
  if (enabled === 1)
    return isWhole(before) && (until ?? null) === null
      ? { action: 'set_debug', args: { enabled: 0 }, fields: ['debug_until'] }
      : null
  return typeof until === 'string' && Date.parse(`${until.replace(' ', 'T')}Z`) > Date.now()
    ? { action: 'set_debug', args: { enabled: 1, until }, fields: ['debug_until'] }
    : null
}

/** Maintenance mode before. */
export const undoMaintenance: UndoRule = (before) =>
  isWhole(before)
    ? { action: 'maintenance', args: { enabled: before['maintenance'] === 1 ? 1 : 0 }, fields: ['maintenance'] }
    : null

/** HTTP authentication that was off. The password of one that was on is gone. */
export const undoHttpAuth: UndoRule = (before, { enabled }) =>
  isWhole(before) && (before['http_auth_user'] ?? null) === null && enabled === 1
    ? { action: 'set_http_auth', args: { enabled: 0 }, fields: ['http_auth_user'] }
    : null

/** A protection as it was. */
export const undoProtection: UndoRule = (_before, { protection, enabled = 1 }) => ({
  action: 'set_protection',
  args: { protection, enabled: enabled === 1 ? 0 : 1 },
  fields: ['protections'],
})

/** How an alias worked before. */
export const undoAliasMode: UndoRule = ({ aliases }, { domain }) => {
  const before = Array.isArray(aliases)
    ? aliases.find((alias: unknown) => isObject(alias) && alias['domain'] === domain)
    : undefined
  return isObject(before)
    ? { action: 'set_alias_mode', args: { domain, mode: before['mode'] }, fields: ['aliases'] }
    : null
}

const hostOf = (url: unknown): string | null =>
  typeof url === 'string' && URL.canParse(url) ? new URL(url).hostname : null

/** The primary domain before. The other one was an alias, and is it again, or is free. */
export const undoDomain: UndoRule = ({ url, aliases }, { domain }) => {
  const host = hostOf(url)
  if (host === null) return null
  const alias = Array.isArray(aliases)
    ? aliases.find((one: unknown) => isObject(one) && [one['domain'], hostOf(one['url'])].includes(domain))
    : undefined
  const old_domain = isObject(alias) ? alias['mode'] : 'remove'
  return { action: 'change_domain', args: { domain: host, old_domain }, fields: ['domain', 'aliases'] }
}

/** A plugin as it was; `plugin_active`: whether it was active, `plugin_network`: on all sites of the network. */
export const undoSetPlugin: UndoRule = ({ plugin_active, plugin_network }, { plugin, do: operation }) => {
  if (operation === 'activate' && plugin_active === false)
    return { action: 'set_plugin', args: { plugin, do: 'deactivate' }, fields: [] }
  if (operation === 'deactivate' && plugin_active === true)
    return {
      action: 'set_plugin',
      args: { plugin, do: 'activate', network: plugin_network === true ? 1 : 0 },
      fields: [],
    }
  return null
}

/** The theme before; `active_theme`: its name. */
export const undoSetTheme: UndoRule = ({ active_theme }, { do: operation }) =>
  operation === 'activate' && typeof active_theme === 'string'
    ? { action: 'set_theme', args: { theme: active_theme, do: 'activate' }, fields: [] }
    : null
