import { minFreeBytes } from '#server/platform/files/disk-space.ts'
import { socketFolder } from '#server/platform/processes/socket-folder.ts'
import { join, resolve } from 'node:path'
import { trimEnd } from '#shared/rules/trim-end.ts'
import { createPackageArchives, type PackageArchives } from './wordpress-files/package-archives.ts'
import type { SiteRef } from '../site-ref.ts'
import { createCoreSupply, type CoreSupply } from './core/core-supply.ts'
import { createEngineEvents, type EngineEvents } from './engine-events.ts'
import { maxConnections, viewerConnections } from './mysql/site-statements.ts'
import { noMysql, openLocalMysql, type LocalMysql } from './mysql/local-mysql.ts'
import type { LocalEngineOptions } from './options.ts'
import { openProcessNotes, type ProcessNotes } from './processes/process-notes.ts'
import { chooseSandbox, type Sandbox } from './sandbox/sandbox.ts'
import { openSiteOwners, type SiteOwners } from './sites/site-owners.ts'
import { createSiteTenants, type SiteTenants } from './sites/site-tenants.ts'
import { openSiteStore, type SiteStore } from './sites/site-store.ts'
import { openLocalThumbnails, type LocalThumbnails } from './thumbnails/local-thumbnails.ts'
import { createTrees, type Trees } from './trees/trees.ts'

/** The parts of the engine that work without running sites. */
export interface LocalBase {
  readonly options: LocalEngineOptions
  readonly now: () => number
  readonly notes: ProcessNotes
  readonly sandbox: Sandbox
  readonly trees: Trees
  readonly store: SiteStore
  readonly owners: SiteOwners
  /** Folder of the sites' unix sockets. */
  readonly socketFolder: string
  readonly thumbnails: LocalThumbnails
  readonly events: EngineEvents
  /** Time of the last reported visit to each site. */
  readonly lastVisits: Map<string, number>
  /** Aborts when the engine stops. */
  readonly stopping: AbortController
  readonly cores: CoreSupply
  readonly mysql: LocalMysql
  /** Archives of the plugins and themes that sites installed. */
  readonly archives: PackageArchives
  /** Which sites belong together. */
  readonly tenants: SiteTenants
  /** Whether the internet is reachable, as last checked. */
  readonly network: { isOffline: boolean }
}

/** Ends what an earlier engine left, and reads the sites from the data folder. */
export async function openLocalBase(options: LocalEngineOptions): Promise<LocalBase> {
  const { log, cacheDir } = options
  const dataDir = resolve(options.dataDir)
  const now = options.clock ?? Date.now
  const notes = await openProcessNotes(join(dataDir, 'local', 'processes'), log)
  const sandbox = options.sandbox ?? (await chooseSandbox())
  const trees = createTrees(join(dataDir, 'local', 'compiled'))
  const store = await openSiteStore(dataDir, log, (paths) => trees.run('remove', { paths }))
  const owners = await openSiteOwners(store, trees, log)
  if (store.leftovers.length > 0)
    trees.run('remove', { paths: store.leftovers }).catch((error: unknown) => {
      log.warn('What is left of removed sites could not be removed; the next start tries again', { error })
    })
  const sockets = await socketFolder(join(dataDir, 'local'))
  const thumbnails = await openLocalThumbnails({
    enabled: options.thumbnails?.enabled ?? false,
    browser: options.thumbnails?.browser ?? null,
    cacheDir,
    dataDir,
    log,
    clock: now,
  })
  const mysql =
    options.mysql === undefined
      ? noMysql
      : await openLocalMysql({
          dataDir,
          log,
          url: options.mysql.url,
          // Sites that are being restored run beside the awake ones.
          siteConnections: (maxConnections + viewerConnections) * (Math.max(1, options.awakeMax) + 3),
        })
  const stopping = new AbortController()
  const tenants = createSiteTenants()
  const cores = createCoreSupply({
    cacheDir,
    orgUrl: options.wordpressOrgUrl,
    spareFolder: options.keepSpare === false ? null : join(dataDir, 'local', 'spare'),
    now,
    log,
    stopping: stopping.signal,
  })
  return {
    options,
    now,
    notes,
    sandbox,
    trees,
    store,
    owners,
    socketFolder: sockets,
    thumbnails,
    events: createEngineEvents(),
    lastVisits: new Map(),
    stopping,
    cores,
    archives: createPackageArchives({
      folder: join(dataDir, 'local', 'packages'),
      maxBytes: options.keptPackagesBytes ?? 2 * 1024 ** 3,
      minFreeBytes: options.minFreeBytes ?? minFreeBytes,
      store,
      tenants,
      now,
    }),
    tenants,
    mysql,
    network: { isOffline: false },
  }
}

/** Public URL of a site without a trailing slash. */
export function localSiteUrl(options: LocalEngineOptions, site: Pick<SiteRef, 'domain'>): string {
  const pattern = options.sitesUrlPattern ?? `http://{slug}.${options.sitesDomain}:${options.port}`
  if (!site.domain.includes('.')) return trimEnd(pattern.replace('{slug}', site.domain), '/')
  const url = new URL(pattern.replace('{slug}', 'x'))
  url.hostname = site.domain
  return url.origin
}

/** Path of the unix socket that the site's process listens on. */
export function siteSocket({ socketFolder: folder }: Pick<LocalBase, 'socketFolder'>, id: string): string {
  return join(folder, `${id}.sock`)
}
