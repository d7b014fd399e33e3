import { minFreeBytes } from '#server/platform/files/disk-space.ts'
import { rm } from 'node:fs/promises'
import type { MysqlAddress } from '#server/platform/mysql/mysql-client.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../engine.ts'
import { followAddress } from './domains/follow-address.ts'
import { servedHosts } from './domains/served-hosts.ts'
import { localSiteUrl, siteSocket, type LocalBase } from './local-base.ts'
import { isMovingDatabase } from './mysql/record-move.ts'
import type { RunLimits } from './child/messages.ts'
import { requestSeconds } from './limits.ts'
import type { LocalEngineOptions } from './options.ts'
import { createAwakeSites, type AwakeSites } from './processes/awake-sites.ts'
import { createStorageMonitor, type StorageMonitor } from './quota/storage-monitor.ts'
import { ensureWorkFolders } from './sites/site-files.ts'
import { engineSettings } from './settings/record-settings.ts'
import { assertNotArchived, assertNotStopped, type SiteRecord } from './sites/site-record.ts'
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
    limits: runLimits(options),
    now,
    log,
    notes,
    assertMayRun: (id) => {
      assertNotArchived(store.get(id))
      assertNotStopped(store.get(id))
      storage.assertMayRun(id)
    },
    prepare: async (id, signal) => {
      const record = store.get(id)
      if (record?.copied === true) await storage.prepare(record, signal)
    },
    boot: (id) => prepareBoot(base, storage, id),
    complete: (id, process, signal) => followAddress(base, id, process, signal),
    killLeftovers: owners.killLeftovers,
    isUrgent: (id) => store.get(id)?.state === 'creating',
    onEvent: (event) => {
      if (event.event === 'wake') storage.siteWoken(event.id)
      else lockDatabase(base, event.id)
      events.emit('site', event)
    },
  })
  const storage: StorageMonitor = createStorageMonitor({
    store,
    trees,
    log,
    now,
    minFreeBytes: options.minFreeBytes ?? minFreeBytes,
    awake: awake.list,
    sleep: awake.sleep,
    databaseBytes: ({ id, database }) => (database === 'mysql' ? base.mysql.bytes(id) : Promise.resolve(0)),
    databaseFolder: ({ id, database }) => (database === 'mysql' ? base.mysql.folder(id) : Promise.resolve(null)),
    changed: (id, found) => events.emit('storage', id, found),
  })
  return { awake, storage }
}

/** Seconds that PHP runs may take. */
function runLimits({
  requestSeconds: usual = requestSeconds,
  adminRequestSeconds: admin = 300,
}: LocalEngineOptions): RunLimits {
  return { usual, admin: Math.max(usual, admin) }
}

/** The user of a site's database can connect only while the site runs. */
function lockDatabase({ store, mysql, options }: LocalBase, id: string): void {
  if (!usesMysql(store.get(id))) return
  mysql
    .setLocked(id, true)
    .catch((error: unknown) => options.log.warn('The database of a site could not be locked', { site: id, error }))
}

/** Whether the site's process may reach the MySQL server: during a move to it, too. */
const usesMysql = (record: SiteRecord | undefined): boolean =>
  record !== undefined && (record.database === 'mysql' || isMovingDatabase(record))

/** Unlocks the site's user and returns where its database is; null if that is SQLite. */
async function openDatabase({ mysql }: LocalBase, record: SiteRecord): Promise<MysqlAddress | null> {
  if (!usesMysql(record)) return null
  await mysql.setLocked(record.id, false)
  return mysql.address()
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
  const { memoryMb, uploadMb, debugUntil, protections } = engineSettings(record, base.now())
  await ensureWorkFolders(paths, uid)
  const socket = siteSocket(base, id)
  await rm(socket, { force: true })
  return {
    boot: {
      type: 'boot',
      siteType: record.siteType,
      phpVersion: record.phpVersion,
      url: localSiteUrl(options, record),
      served: servedHosts(options, record),
      uid,
      offline: network.isOffline || record.rehearsal === true,
      limits: runLimits(options),
      memoryMb,
      uploadMb,
      debug: debugUntil !== null,
      isNetwork: record.network !== undefined,
      protections,
      quota: storage.start(record),
    },
    folder: paths.folder,
    database: await openDatabase(base, record),
    isClosed: record.rehearsal === true,
    socket,
    sandbox,
    nodeArguments: options.nodeArguments ?? [],
  }
}
