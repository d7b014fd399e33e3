import { removeTree } from '#server/platform/trees/remove-tree.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../engine.ts'
import { wordpressOrg } from './core/wordpress-org.ts'
import { isReachable, startHousekeeping, type Housekeeping } from './housekeeping.ts'
import { localSiteUrl, openLocalBase, type LocalBase } from './local-base.ts'
import { createObservation, type Observation } from './observation.ts'
import type { LocalEngineOptions } from './options.ts'
import type { AwakeSites } from './processes/awake-sites.ts'
import { createOwnRequests, type OwnRequests } from './proxy/own-requests.ts'
import { createSiteProxy, type SiteProxy } from './proxy/proxy.ts'
import { createSiteRuntime, type SiteRuntime } from './site-runtime.ts'
import { createLoginLinks, type LoginLinks } from './sites/login-links.ts'
import { runDueEvents } from './sites/run-due-events.ts'
import { capErrorLog } from './sites/site-files.ts'

/** Visits to a site within this time are reported once. */
const visitPauseMs = 60_000

/** All parts of the running engine. */
export interface LocalContext extends LocalBase, SiteRuntime {
  readonly links: LoginLinks
  readonly proxy: SiteProxy
  readonly ownRequests: OwnRequests
  readonly observation: Observation
  readonly housekeeping: Housekeeping
}

/** Opens all parts, and starts the periodic work. */
export async function openLocalContext(options: LocalEngineOptions): Promise<LocalContext> {
  const base = await openLocalBase(options)
  const runtime = createSiteRuntime(base)
  const links = createLoginLinks(base.store, runtime.awake, base.now)
  const proxy = createSiteProxy({
    store: base.store,
    awake: runtime.awake,
    log: options.log,
    userOf: base.owners.userOf,
    sitesDomain: options.sitesDomain.toLowerCase(),
    visited: (id) => reportVisit(base, id),
    protocol: localSiteUrl(options, { domain: 'x' }).startsWith('https:') ? 'https' : 'http',
    login: links.redeem,
  })
  return {
    ...base,
    ...runtime,
    links,
    proxy,
    ownRequests: createOwnRequests(proxy.handleOwnRequest),
    observation: createObservation({ store: base.store, ...runtime }),
    housekeeping: startRounds(base, runtime),
  }
}

/** Stops everything the engine runs, and waits until no process is left. */
export async function closeLocalContext(context: LocalContext): Promise<void> {
  context.stopping.abort(
    new EngineError('unavailable', msg`The engine is stopping.`, { nextAction: msg`Start Easydash again.` }),
  )
  await context.thumbnails.stop()
  await context.awake.stopAll()
  await context.housekeeping.stop()
  await context.cores.stop()
  await context.trees.stop()
  await removeTree(context.socketFolder)
}

function reportVisit({ lastVisits, events, now }: LocalBase, id: string): void {
  if (now() - (lastVisits.get(id) ?? -Infinity) < visitPauseMs) return
  lastVisits.set(id, now())
  events.emit('visit', id)
}

function startRounds(base: LocalBase, { awake, storage }: SiteRuntime): Housekeeping {
  const { options, store, owners, now } = base
  return startHousekeeping({
    store,
    awake,
    log: options.log,
    now,
    idleMinutes: options.idleMinutes,
    capLog: (record) => capErrorLog(store.paths(record.id), owners.userOf(record), storage.logLimitOf(record)),
    storage: storage.round,
    cron: (record) => runDueEvents(store, record, awake.wakeWithoutUse),
    probe: () => isReachable(wordpressOrg(options.wordpressOrgUrl)),
    setOffline: (isOffline) => setOffline(base, awake, isOffline),
  })
}

/** Tells the awake sites whether the internet is reachable, if that changed. */
function setOffline({ network, cores }: LocalBase, awake: AwakeSites, isOffline: boolean): void {
  if (isOffline === network.isOffline) return
  network.isOffline = isOffline
  if (!isOffline) cores.online()
  for (const { id } of awake.list()) awake.running(id)?.setOffline(isOffline)
}
