import { localCapabilities, localPhpVersions } from './capabilities.ts'
import type { LocalEngine } from './contract.ts'
import { subscribe } from './engine-events.ts'
import { measureHost } from './measure-host.ts'
import { localSiteUrl } from './local-base.ts'
import { closeLocalContext, openLocalContext } from './local-context.ts'
import type { LocalEngineOptions } from './options.ts'
import {
  changePhpVersion,
  createLoginLink,
  destroySite,
  listSites,
  localArchiveSteps,
  localCreateSteps,
  localRestoreSteps,
  requestSite,
  runCron,
  siteLogs,
  syncUsers,
  takeThumbnail,
} from './site-operations.ts'

export type { SiteEvent } from './processes/awake-options.ts'
export type { LocalEngine, LocalSite } from './contract.ts'
export type { LocalEngineOptions } from './options.ts'

/** Opens the local engine: reads its sites from the data folder and starts to download WordPress if none is cached. */
export async function createLocalEngine(options: LocalEngineOptions): Promise<LocalEngine> {
  const context = await openLocalContext(options)
  const { store, awake, storage, cores, proxy, thumbnails, observation, housekeeping, events } = context
  return {
    name: 'local',
    reach: 'machine',
    capabilities: () => ({ ...localCapabilities, thumbnail: thumbnails.capability() }),
    phpVersions: () => localPhpVersions,
    hostInfo: () => measureHost(store.root),
    siteUrl: (site) => localSiteUrl(options, site),
    filesFolder: (site) => (store.get(site.id) ? store.paths(site.id).www : null),
    createSteps: (spec) => localCreateSteps(context, spec),
    archiveSteps: (site) => localArchiveSteps(context, site),
    restoreArchiveSteps: (site) => localRestoreSteps(context, site),
    destroy: (site) => destroySite(context, site),
    observe: (site, { measure = true } = {}) => observation.of(site, measure),
    request: (site, path, requestOptions) => requestSite(context, site, path, requestOptions),
    loginLink: (site, person, ttlSeconds) => createLoginLink(context, site, person, ttlSeconds),
    syncUsers: (site, keep, reassignTo) => syncUsers(context, site, keep, reassignTo),
    thumbnail: (site, signal, requestedByUser) => takeThumbnail(context, site, signal, requestedByUser),
    thumbnails: thumbnails.state,
    logs: (site, lines) => siteLogs(context, site, lines),
    runCron: (site) => runCron(context, site),
    setPhpVersion: (site, version) => changePhpVersion(context, site, version),
    ownsHost: proxy.ownsHost,
    handleRequest: proxy.handleRequest,
    listSites: () => listSites(context),
    prepareCore: async (prepare) => ({ version: (await cores.prepare(prepare)).version }),
    coreVersions: cores.versions,
    processes: () => awake.list(),
    on: (event, listener) => subscribe(events, event, listener),
    onVisit: (listener) => subscribe(events, 'visit', listener),
    setQuota: storage.setQuota,
    onStorage: (listener) => subscribe(events, 'storage', listener),
    round: () => housekeeping.round(),
    sleepAll: async () => {
      await Promise.all(awake.list().map(({ id }) => awake.sleep(id)))
    },
    stop: () => closeLocalContext(context),
  }
}
