import { chmod, chown } from 'node:fs/promises'
import { killGroup } from '#server/platform/browser/process-group.ts'
import type { LocalEngineLog } from '../options.ts'
import { ensureWorkFolders } from './site-files.ts'
import type { SiteRecord } from './site-record.ts'
import type { SiteStore } from './site-store.ts'
import { firstUid, openSiteUsers, type SiteUsers } from './site-users.ts'
import type { Trees } from '../trees/trees.ts'

/** Owners of sites' files and processes. Without root privileges everything belongs to one user: ours. */
export interface SiteOwners {
  /** User of a site's files and processes; null if all sites belong to one user. */
  userOf(record: SiteRecord): number | null
  /** The same for a site that is about to run; if it has no user yet, it is assigned one and its files change owner. */
  ownerOf(record: SiteRecord): Promise<number | null>
  /** Assigns a user to a new site. */
  newUser(site: string): Promise<number | null>
  /** Releases the user of a deleted site. */
  release(site: string): Promise<void>
  /** Ends all other processes of a site after its process `pid` ended. */
  killLeftovers(site: string, pid: number | null): Promise<void>
}

/** Creates it; ends processes left by a killed engine. */
export async function openSiteOwners(store: SiteStore, trees: Trees, log: LocalEngineLog): Promise<SiteOwners> {
  if (process.getuid?.() !== 0)
    return {
      userOf: () => null,
      ownerOf: () => Promise.resolve(null),
      newUser: () => Promise.resolve(null),
      release: () => Promise.resolve(),
      // Those in its process group; others can't be identified.
      killLeftovers: async (_site, pid) => {
        if (pid !== null && pid > 1) await killGroup(pid)
      },
    }
  const users = await openSiteUsers(store.root, log)
  await claimUsers(store, users)
  return {
    userOf: (record) => record.uid,
    ownerOf: async (record) => {
      if (record.uid !== null) return record.uid
      const uid = await users.claim(record.id, null)
      if (uid === null) return null
      const paths = store.paths(record.id)
      await ensureWorkFolders(paths, uid)
      await trees.run('own', { paths: [paths.www, paths.logs, paths.outbox, paths.temporary, paths.trash], uid })
      await store.save({ ...record, uid })
      return uid
    },
    newUser: (site) => users.claim(site, null),
    release: users.release,
    killLeftovers: (site) => users.endProcesses(site),
  }
}

/**
 * Reserves the users of existing sites. If another installation has one of them, e.g. because the data folder was copied, it
 * is given up: the site's folder is not accessible to that user, and the next start of the site assigns a new one.
 */
async function claimUsers(store: SiteStore, users: SiteUsers): Promise<void> {
  const wanted = new Map([...store.unknownFolders].filter(([, uid]) => uid >= firstUid))
  for (const { id, uid } of store.all()) if (uid !== null) wanted.set(id, uid)
  const kept = await users.keep(wanted)
  for (const record of store.all()) {
    if (kept.has(record.id)) continue
    const { folder } = store.paths(record.id)
    await chown(folder, 0, 0)
    await chmod(folder, 0o700)
    if (record.uid !== null) await store.save({ ...record, uid: null })
  }
  await users.endAllProcesses()
}
