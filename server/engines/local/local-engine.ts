import type { Capability } from '../engine.ts'
import { localLacks, localPhpVersions } from './capabilities.ts'
import type { LocalEngine } from './contract.ts'
import { subscribe } from './engine-events.ts'
import { createLocalBackups } from './backups/local-backups.ts'
import { createLocalNetworks } from './network/convert-steps.ts'
import { createLocalConsole } from './database/local-console.ts'
import { createLocalDatabase } from './database/local-database.ts'
import { createLocalDatabaseMoves } from './mysql/local-database-moves.ts'
import { createLocalDomains } from './domains/local-domains.ts'
import { createLocalHealth } from './health/local-health.ts'
import { createLocalSettings } from './settings/local-settings.ts'
import { createLocalExports, createLocalImports } from './portable/local-portable.ts'
import { createLocalCopies } from './copies/local-copies.ts'
import { createLocalStaging } from './staging/local-staging.ts'
import { measureHost } from './measure-host.ts'
import { localSiteUrl } from './local-base.ts'
import { closeLocalContext, openLocalContext } from './local-context.ts'
import type { LocalEngineOptions } from './options.ts'
import { createLocalCore } from './wordpress-core/local-core.ts'
import { destroySite } from './sites/destroy-site.ts'
import { createWordPressFiles } from './wordpress-files/local-wordpress-files.ts'
import { createLocalLanguages } from './wordpress/local-languages.ts'
import { createWordPressPackages } from './wordpress/wordpress-packages.ts'
import { createWordPressManagement } from './wordpress/wordpress-management.ts'
import {
  changePhpVersion,
  createLoginLink,
  listSites,
  localArchiveSteps,
  localCreateSteps,
  localRestoreSteps,
  requestSite,
  restartSite,
  runCron,
  syncUsers,
  takeThumbnail,
} from './site-operations.ts'

export type { LocalEngine } from './contract.ts'
export type { LocalEngineOptions } from './options.ts'

/** Opens the local engine: reads its sites from the data folder and starts to download WordPress if none is cached. */
export async function createLocalEngine(options: LocalEngineOptions): Promise<LocalEngine> {
  const context = await openLocalContext(options)
  const { store, awake, storage, cores, proxy, thumbnails, observation, housekeeping, events } = context
  const backups = createLocalBackups(context)
  return {
    name: 'local',
    reach: 'machine',
    siteNames: 'label',
    lacks: () => ({
      ...localLacks,
      thumbnail: reasonOf(thumbnails.capability()),
      mysql: reasonOf(context.mysql.capability),
    }),
    phpVersions: () => localPhpVersions,
    hostInfo: () => measureHost(store.root),
    siteUrl: (site) => localSiteUrl(options, site),
    urlPattern: localSiteUrl(options, { domain: '{slug}' }),
    filesFolder: async (site) => (store.get(site.id) ? store.paths(site.id).www : null),
    createSteps: (spec) => localCreateSteps(context, spec),
    archiveSteps: (site) => localArchiveSteps(context, site),
    restoreArchiveSteps: (site) => localRestoreSteps(context, site),
    destroy: (site) => destroySite(context, site),
    observe: (site, { measure = true } = {}) => observation.of(site, measure),
    request: (site, path, requestOptions) => requestSite(context, site, path, requestOptions),
    loginLink: (site, person, ttlSeconds, to) => createLoginLink(context, site, person, ttlSeconds, to),
    syncUsers: (site, lists) => syncUsers(context, site, lists),
    thumbnail: (site, signal, requestedByUser) => takeThumbnail(context, site, signal, requestedByUser),
    thumbnails: thumbnails.state,
    screenshots: thumbnails,
    files: context.files,
    wordpress: createWordPressManagement(context),
    core: createLocalCore(context),
    originals: createWordPressFiles(context),
    logs: context.logs,
    packages: createWordPressPackages(context),
    languages: createLocalLanguages(context),
    health: createLocalHealth(context),
    runCron: (site) => runCron(context, site),
    restart: (site, how) => restartSite(context, site, how),
    setPhpVersion: (site, version) => changePhpVersion(context, site, version),
    copies: createLocalCopies(context),
    staging: createLocalStaging(context),
    domains: createLocalDomains(context),
    networks: createLocalNetworks(context),
    console: createLocalConsole(context),
    databaseMoves: createLocalDatabaseMoves(context),
    database: createLocalDatabase(context),
    backups,
    rehearsals: backups,
    restores: backups,
    exports: createLocalExports(context),
    imports: createLocalImports(context),
    settings: createLocalSettings(context),
    ownsHost: proxy.ownsHost,
    handleRequest: proxy.handleRequest,
    host: { sites: async () => listSites(context) },
    events: {
      onProcess: (listener) => subscribe(events, 'site', listener),
      onVisit: (listener) => subscribe(events, 'visit', listener),
    },
    quotas: {
      set: storage.setQuota,
      setTenants: context.tenants.set,
      onStorage: (listener) => subscribe(events, 'storage', listener),
    },
    prepareCore: async (prepare) => ({ version: (await cores.prepare(prepare)).version }),
    coreVersions: cores.versions,
    processes: () => awake.list(),
    round: () => housekeeping.round(),
    sleepAll: async () => {
      await Promise.all(awake.list().map(({ id }) => awake.sleep(id)))
    },
    stop: () => closeLocalContext(context),
  }
}

const reasonOf = (capability: Capability) => (capability.supported ? null : capability.reason)
