import { removeTree } from '#server/platform/trees/remove-tree.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../engine.ts'
import type { SiteLogs } from '../site-logs.ts'
import { wordpressOrg } from './core/wordpress-org.ts'
import { isReachable, startHousekeeping, type Housekeeping } from './housekeeping.ts'
import { localSiteUrl, openLocalBase, type LocalBase } from './local-base.ts'
import { createObservation, type Observation } from './observation.ts'
import { createAccessLog, type AccessLog } from './logs/access-log.ts'
import { createLocalLogs } from './logs/local-site-logs.ts'
import { emptyOwnLog } from './logs/site-log-file.ts'
import { createDumpCleanup } from './mysql/kept-dumps.ts'
import { tendUndos } from './mysql/sql-changes.ts'
import type { LocalEngineOptions } from './options.ts'
import type { AwakeSites } from './processes/awake-sites.ts'
import type { SiteFiles } from '../site-files.ts'
import { createLocalFiles, type LocalFiles } from './files/local-files.ts'
import { createOwnRequests, type OwnRequests } from './proxy/own-requests.ts'
import { createSiteProxy, type SiteProxy } from './proxy/proxy.ts'
import { createSiteRuntime, type SiteRuntime } from './site-runtime.ts'
import { endExpiredDebug } from './settings/expire-debug.ts'
import { removeOpened } from './sites/destroy-site.ts'
import { createLoginLinks, type LoginLinks } from './sites/login-links.ts'
import { runDueEvents } from './sites/run-due-events.ts'

/** Visits to a site within this time are reported once. */
const visitPauseMs = 60_000

/** All parts of the running engine. */
export interface LocalContext extends LocalBase, SiteRuntime {
  readonly links: LoginLinks
  readonly proxy: SiteProxy
  readonly ownRequests: OwnRequests
  readonly observation: Observation
  readonly housekeeping: Housekeeping
  readonly access: AccessLog
  readonly logs: SiteLogs
  readonly files: SiteFiles
  readonly unpackNew: LocalFiles['unpackNew']
  readonly removeNew: LocalFiles['removeNew']
  readonly putOwn: LocalFiles['putOwn']
}

/** Opens all parts, and starts the periodic work. */
export async function openLocalContext(options: LocalEngineOptions): Promise<LocalContext> {
  const base = await openLocalBase(options)
  const runtime = createSiteRuntime(base)
  const access = createAccessLog({
    folderOf: (id) => base.store.paths(id).access,
    maxBytesOf: (id) => {
      const record = base.store.get(id)
      return record === undefined ? null : runtime.storage.logLimitOf(record)
    },
    log: options.log,
  })
  const { files, expireTrash, unpackNew, removeNew, putOwn } = createLocalFiles({ ...base, ...runtime })
  const protocol = localSiteUrl(options, { domain: 'x' }).startsWith('https:') ? 'https' : 'http'
  const links = createLoginLinks({ ...base, awake: runtime.awake, isSecure: protocol === 'https' })
  const proxy = createSiteProxy({
    store: base.store,
    awake: runtime.awake,
    log: options.log,
    now: base.now,
    userOf: base.owners.userOf,
    sitesDomain: options.sitesDomain.toLowerCase(),
    visited: (id) => reportVisit(base, id),
    protocol,
    urlOf: (record) => localSiteUrl(options, record),
    login: links.redeem,
    recordAccess: access.record,
  })
  return {
    ...base,
    ...runtime,
    links,
    proxy,
    ownRequests: createOwnRequests(proxy.handleOwnRequest),
    observation: createObservation({ store: base.store, ...runtime }),
    access,
    logs: createLocalLogs({
      store: base.store,
      trees: base.trees,
      access,
      userOf: base.owners.userOf,
      onFilesChanged: runtime.storage.invalidate,
    }),
    housekeeping: startRounds({ ...base, ...runtime, access }, expireTrash),
    files,
    unpackNew,
    removeNew,
    putOwn,
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
  await context.mysql.stop()
  await context.cores.stop()
  await context.access.stop()
  await context.trees.stop()
  await removeTree(context.socketFolder)
}

function reportVisit({ lastVisits, events, now }: LocalBase, id: string): void {
  if (now() - (lastVisits.get(id) ?? -Infinity) < visitPauseMs) return
  lastVisits.set(id, now())
  events.emit('visit', id)
}

function startRounds(
  base: LocalBase & SiteRuntime & Pick<LocalContext, 'access'>,
  expireTrash: () => Promise<void>,
): Housekeeping {
  const { options, store, owners, now, awake, storage } = base
  return startHousekeeping({
    store,
    awake,
    log: options.log,
    now,
    idleMinutes: options.idleMinutes,
    capLog: (record) => emptyOwnLog(store.paths(record.id), owners.userOf(record), 'php', storage.logLimitOf(record)),
    storage: storage.round,
    endDebug: () => endExpiredDebug(base, awake),
    expire: [expireTrash, createDumpCleanup(base), base.archives.removeUnused, () => removeOpened(base, options.log)],
    tendUndos: () => tendUndos(base),
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
