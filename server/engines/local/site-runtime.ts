import { rm } from 'node:fs/promises'
import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../engine.ts'
import { localSiteUrl, siteSocket, type LocalBase } from './local-base.ts'
import { createAwakeSites, type AwakeSites } from './processes/awake-sites.ts'
import { createStorageMonitor, type StorageMonitor } from './quota/storage-monitor.ts'
import { ensureWorkFolders } from './sites/site-files.ts'
import { assertNotArchived } from './sites/site-record.ts'
import type { SiteStart } from './sites/site-start.ts'

/** The processes of sites, and the limits of what they write. */
export interface SiteRuntime {
  readonly awake: AwakeSites
  readonly storage: StorageMonitor
}

/** Creates both, which need each other: a start needs the site's quota, and a site over it is put to sleep. */
export function createSiteRuntime(base: LocalBase): SiteRuntime {
  const { options, now, notes, trees, store, owners, events } = base
  const { log } = options
  const awake: AwakeSites = createAwakeSites({
    awakeMax: Math.max(1, options.awakeMax),
    memoryCapMb: options.memoryCapMb ?? 768,
    requestDeadlineMs: options.requestDeadlineMs ?? 60_000,
    now,
    log,
    notes,
    assertMayRun: (id) => {
      assertNotArchived(store.get(id))
      storage.assertMayRun(id)
    },
    prepare: async (id, signal) => {
      const record = store.get(id)
      if (record?.copied === true) await storage.prepare(record, signal)
    },
    boot: (id) => prepareBoot(base, storage, id),
    killLeftovers: owners.killLeftovers,
    isUrgent: (id) => store.get(id)?.state === 'creating',
    onEvent: (event) => {
      if (event.event === 'wake') storage.siteWoken(event.id)
      events.emit('site', event)
    },
  })
  const storage: StorageMonitor = createStorageMonitor({
    store,
    trees,
    log,
    now,
    minFreeBytes: options.minFreeBytes ?? 512 * 1024 * 1024,
    awake: awake.list,
    sleep: awake.sleep,
    changed: (id, found) => events.emit('storage', id, found),
  })
  return { awake, storage }
}

/** Prepares the site's folders and returns how its process starts. */
async function prepareBoot(base: LocalBase, storage: StorageMonitor, id: string): Promise<Omit<SiteStart, 'notes'>> {
  const { options, store, owners, sandbox, network } = base
  const record = store.get(id)
  if (record === undefined || !record.copied)
    throw new EngineError('not_found', msg`This machine does not have the site.`, {
      nextAction: msg`Refresh the page.`,
    })
  const uid = await owners.ownerOf(record)
  const paths = store.paths(id)
  await ensureWorkFolders(paths, uid)
  const socket = siteSocket(base, id)
  await rm(socket, { force: true })
  return {
    boot: {
      type: 'boot',
      siteType: record.siteType,
      phpVersion: record.phpVersion,
      url: localSiteUrl(options, record),
      uid,
      offline: network.isOffline,
      quota: storage.start(record),
    },
    folder: paths.folder,
    socket,
    sandbox,
    nodeArguments: options.nodeArguments ?? [],
  }
}
