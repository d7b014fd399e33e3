import { join, resolve } from 'node:path'
import { trimEnd } from '#shared/rules/trim-end.ts'
import type { SiteRef } from '../engine.ts'
import { createCoreSupply, type CoreSupply } from './core/core-supply.ts'
import { createEngineEvents, type EngineEvents } from './engine-events.ts'
import type { LocalEngineOptions } from './options.ts'
import { openProcessNotes, type ProcessNotes } from './processes/process-notes.ts'
import { socketFolder } from './processes/socket-folder.ts'
import { chooseSandbox, type Sandbox } from './sandbox/sandbox.ts'
import { openSiteOwners, type SiteOwners } from './sites/site-owners.ts'
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
  const trees = createTrees()
  const store = await openSiteStore(dataDir, log, (paths) => trees.run('remove', { paths }))
  const owners = await openSiteOwners(store, trees, log)
  if (store.leftovers.length > 0)
    trees.run('remove', { paths: store.leftovers }).catch((error: unknown) => {
      log.warn('What is left of removed sites could not be removed; the next start tries again', { error })
    })
  const sockets = await socketFolder(dataDir)
  const thumbnails = await openLocalThumbnails({
    enabled: options.thumbnails?.enabled ?? false,
    browser: options.thumbnails?.browser ?? null,
    cacheDir,
    dataDir,
    log,
    clock: now,
  })
  const stopping = new AbortController()
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
    network: { isOffline: false },
  }
}

/** Public URL of a site without a trailing slash. */
export function localSiteUrl(options: LocalEngineOptions, site: Pick<SiteRef, 'domain'>): string {
  const pattern = options.sitesUrlPattern ?? `http://{slug}.${options.sitesDomain}:${options.port}`
  return trimEnd(pattern.replace('{slug}', site.domain), '/')
}

/** Path of the unix socket that the site's process listens on. */
export function siteSocket({ socketFolder: folder }: LocalBase, id: string): string {
  return join(folder, `${id}.sock`)
}
