import { labelMessage, msg } from '#shared/localized-message.ts'
import { EngineError, type CapabilityName, type Engine, type SiteSpec } from '../engine.ts'
import type { CloneSpec } from '../site-copies.ts'
import { thisMachine, type ServerRef, type SiteRef } from '../site-ref.ts'
import type { EngineSettingsChange } from '../site-settings.ts'
import type { WordPressChange } from '#shared/rules/wordpress-changes.ts'
import type { FakeEngineOptions } from './fake-context.ts'

/** What a method needs, or all methods of a part. */
const needed: Readonly<Record<string, CapabilityName>> = {
  archiveSteps: 'archive',
  restoreArchiveSteps: 'archive',
  hostInfo: 'facts',
  loginLink: 'login_link',
  runCron: 'cron',
  setPhpVersion: 'php_version',
  thumbnail: 'thumbnail',
  console: 'php_console',
  core: 'core_version',
  database: 'database',
  'database.query': 'sql_console',
  'database.write': 'sql_console',
  'databaseMoves.steps': 'mysql',
  'domains.setAliases': 'aliases',
  'domains.findAddresses': 'domain_change',
  'domains.changeSteps': 'domain_change',
  exports: 'export',
  files: 'files',
  health: 'wordpress',
  imports: 'import',
  languages: 'wordpress_settings',
  logs: 'logs',
  'networks.convertSteps': 'multisite',
  originals: 'checksums',
  packages: 'wordpress',
  'settings.createPreview': 'preview_link',
  'settings.endPreview': 'preview_link',
  'settings.suspend': 'suspend',
  'settings.resume': 'suspend',
  'settings.readWordPress': 'wordpress_settings',
  'settings.changeWordPress': 'wordpress_settings',
  staging: 'staging',
  wordpress: 'wordpress',
  'wordpress.loginAs': 'login_link',
  'wordpress.verifyChecksums': 'checksums',
}

/** Methods that only end what was begun, or say that nothing was: our own clean-up calls them for every site. */
const free = /\.(?:finish|undo|discard|expire)\w*$|^exports\.remove$|^staging\.read$/

const settings: Readonly<Record<keyof EngineSettingsChange, CapabilityName>> = {
  memoryMb: 'php_limits',
  uploadMb: 'php_limits',
  debugUntil: 'debug_mode',
  maintenance: 'maintenance',
  protections: 'protections',
  httpAuth: 'http_auth',
}

/** What a call needs, where that depends on what is given. */
const neededByCall: Readonly<Record<string, (given: readonly unknown[]) => readonly CapabilityName[]>> = {
  createSteps([spec]) {
    const { siteType, database } = spec as SiteSpec
    return [`create_${siteType}`, ...(database === 'mysql' ? (['mysql'] as const) : [])]
  },
  'copies.cloneSteps': ([, target]) => [(target as CloneSpec).staging === undefined ? 'clone' : 'staging'],
  'settings.change': ([, change]) =>
    Object.keys(change as EngineSettingsChange).map((name) => settings[name as keyof EngineSettingsChange]),
  'wordpress.change': ([, change]) => {
    const { kind } = change as WordPressChange
    return [kind === 'run_event' || kind === 'pause_events' ? 'cron' : 'wordpress']
  },
}

function neededFor(path: string, given: readonly unknown[]): readonly CapabilityName[] {
  if (free.test(path)) return []
  const byCall = neededByCall[path]
  if (byCall) return byCall(given)
  const name = needed[path] ?? needed[path.split('.')[0] ?? '']
  return name === undefined ? [] : [name]
}

/** The server of a call, which its first value names. */
function serverOf(first: unknown): ServerRef {
  if (typeof first !== 'object' || first === null) return thisMachine
  return 'server' in first ? (first as SiteRef).server : (first as ServerRef)
}

/**
 * The same engine, whose methods throw EngineError `unsupported` with the reason where the server lacks what they need, as real
 * engines do: that the features ask first must not be what protects a server.
 */
export function withRefusals<T extends Engine>(engine: T, lacks: FakeEngineOptions['lacks']): T {
  if (lacks === undefined) return engine
  const wrapped = (path: string, method: (...given: unknown[]) => unknown) =>
    function refusing(...given: unknown[]): unknown {
      const missing = neededFor(path, given)
        .map((name) => lacks(serverOf(given[0]))[name])
        .find((reason) => reason !== undefined)
      if (missing === undefined) return method(...given)
      const error = new EngineError('unsupported', labelMessage(missing), { nextAction: msg`Choose another server.` })
      // Lists of steps are no promises.
      if (/steps$/i.test(path)) throw error
      return Promise.reject(error)
    }
  const withAll = <P extends object>(part: P, path: string): P =>
    Object.fromEntries(
      Object.entries(part).map(([name, value]: [string, unknown]) => {
        if (typeof value === 'function')
          return [name, wrapped(path + name, value as (...given: unknown[]) => unknown)] as const
        const isPart = path === '' && typeof value === 'object' && value !== null && !Array.isArray(value)
        return [name, isPart ? withAll(value, `${name}.`) : value] as const
      }),
    ) as P
  return withAll(engine, '')
}
