import { lateEventSeconds } from '#shared/rules/scheduled-events.ts'
import type { WordPressChangeResult, WordPressManagement } from '../wordpress.ts'
import { wordpressHealthFacts, type WordPressHealth } from '../wordpress-health.ts'
import { assertLoginAs, changeWordPress, inspectWordPress, isDeletion, isSwitch } from '../wordpress-scripts.ts'
import { listPlugins, listUsers, unreadable } from '../wordpress-scripts.ts'
import { coreState } from './core-state.ts'
import { deleteKept, endDeletion } from './deletions.ts'
import type { EeContext } from './ee-context.ts'
import { areEventsPaused, pauseEvents } from './events.ts'
import { makeLoginLink } from './login.ts'
import { change, look, outputOf } from './remote.ts'
import { managedSite, scriptsOf, type ManagedSite } from './scripts.ts'

/** Manages WordPress by the same scripts as the local engine, in the PHP of the site. */
export function createEeWordPress(
  context: EeContext,
  verifyChecksums: WordPressManagement['verifyChecksums'],
): WordPressManagement {
  const inspect = async (managed: ManagedSite, signal?: AbortSignal) => {
    const [facts, paused] = await Promise.all([
      inspectWordPress(scriptsOf(managed), signal, async (found) => {
        if (found.previous === null) return found
        const { hasKeptDatabase } = await coreState(managed, signal)
        return { ...found, previous: { ...found.previous, database: hasKeptDatabase } }
      }),
      areEventsPaused(context, managed.site, signal),
    ])
    return { ...facts, events: { ...facts.events, paused } }
  }
  return {
    inspect: async (site, signal) => inspect(await managedSite(context, site, signal), signal),
    async plugins(site, signal) {
      const managed = await managedSite(context, site, signal)
      return listPlugins(scriptsOf(managed), signal, () => inspect(managed, signal))
    },
    users: async (site, query) => listUsers(scriptsOf(await managedSite(context, site)), query),
    async change(site, change, { safe = false, signal, operationId } = {}) {
      const managed = await managedSite(context, site, signal)
      const run = scriptsOf(managed)
      if (change.kind === 'pause_events') await pauseEvents(context, site, change.paused)
      if (change.kind === 'flush_cache') return flushCaches(managed, safe, signal)
      if (!isDeletion(change) || operationId === undefined)
        return changeWordPress(
          run,
          { change, safe, operation: isSwitch(change) ? (operationId ?? null) : null },
          signal,
        )
      await deleteKept(managed, operationId, signal, async () => {
        await changeWordPress(run, { change, safe, keep: true }, signal)
      })
      return { ran: null }
    },
    async undo(site, operation) {
      const managed = await managedSite(context, site)
      if (await endDeletion(managed, operation, 'restore')) return
      await changeWordPress(scriptsOf(managed), { change: { kind: 'undo', operation }, safe: true })
    },
    async finish(site, operation) {
      await endDeletion(await managedSite(context, site), operation, 'forget')
    },
    async setPassword(site, login, password) {
      const change = { kind: 'set_password', login } as const
      await changeWordPress(scriptsOf(await managedSite(context, site)), { change, password, safe: false })
    },
    async loginAs(site, person, login, ttlSeconds) {
      const managed = await managedSite(context, site)
      assertLoginAs(await scriptsOf(managed)('login', { ...person, as: login, check: true }))
      return makeLoginLink(context, site, { person, ttlSeconds, as: login })
    },
    verifyChecksums,
  }
}

/** Empties what WordPress, plugins and Redis keep. Pages come last: one that is made of what is kept elsewhere would stay for hours. */
async function flushCaches(managed: ManagedSite, safe: boolean, signal?: AbortSignal): Promise<WordPressChangeResult> {
  const { context, site } = managed
  const shared = managed.hasRedis
  const done = await changeWordPress(scriptsOf(managed), { change: { kind: 'flush_cache' }, safe, shared }, signal)
  if (shared) outputOf(await change(context, site.server, { script: 'purge-redis', args: [site.domain], signal }))
  return done
}

/**
 * Whether a configuration of nginx lets no PHP run among the uploads: by one location, or, as EasyEngine has it (EasyEngine/site-type-wp,
 * main.conf.mustache), by one inside of that of the uploads. Takes time in proportion to the text, which a server can make up.
 */
export function protectsUploads(config: string): boolean {
  const open: string[] = []
  let said = ''
  for (const part of config.replaceAll(/#.*/g, '').split(/([{};])/)) {
    if (part === '{') open.push(said)
    else if (part === '}') open.pop()
    else if (part === ';') {
      const isDenied = said === 'deny all' && /^location ~\*? .*php/.test(open.at(-1) ?? '')
      if (isDenied && open.some((one) => one.startsWith('location ') && one.includes('uploads'))) return true
    } else said = part.trim().replaceAll(/\s+/g, ' ')
  }
  return false
}

/** Looks at WordPress from inside, and at how nginx serves it. */
export function createEeHealth(context: EeContext): WordPressHealth {
  return {
    async inspect(site, signal) {
      const managed = await managedSite(context, site, signal)
      const input = { safe: false, late_seconds: lateEventSeconds }
      const [found, config] = await Promise.all([
        scriptsOf(managed)('health', input, signal),
        look(context, site.server, { script: 'web-config', args: [site.domain], signal }),
      ])
      const { data } = wordpressHealthFacts.safeParse({ ...found, uploads_php: !protectsUploads(outputOf(config)) })
      if (!data) throw unreadable()
      return data
    },
  }
}
