import { randomBytes } from 'node:crypto'
import { readdir, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { exists } from '#server/platform/files/exists.ts'
import { takeLock, withLock } from '#server/platform/processes/lock-file.ts'
import { systemErrorCode } from '#server/platform/processes/startup-error.ts'
import type { CachedCore } from './cached-core.ts'

/** A core that is not removed until it is released. */
export interface PinnedCore {
  core: CachedCore
  release(): Promise<void>
}

/** Folder of a core, and its parent. */
function foldersOf(core: CachedCore): { folder: string; root: string } {
  const folder = dirname(core.files)
  return { folder, root: dirname(folder) }
}

/** Held only briefly, so that holding a core and removing one never overlap. */
const gate = (root: string): string => join(root, '.use.lock')

/**
 * Keeps a core in the cache while its files are read, also against other processes that share the cache; a hold ends with
 * its process. Null if the core is no longer there.
 */
export async function pinCore(core: CachedCore): Promise<PinnedCore | null> {
  const { root } = foldersOf(core)
  try {
    return await withLock(gate(root), async () => {
      if (!(await exists(core.files))) return null
      const lock = await takeLock(join(root, `.use-${core.version}-${randomBytes(4).toString('hex')}`))
      return { core, release: lock.held ? lock.release : async () => undefined }
    })
  } catch (error) {
    // A read-only cache: nobody renews it while it is in use.
    if (!['EACCES', 'EPERM', 'EROFS'].includes(systemErrorCode(error))) throw error
    return { core, release: async () => undefined }
  }
}

/**
 * Removes a core from the cache atomically unless it is held. The caller removes the returned folder; its name starts with
 * `.old-`.
 */
export async function evictCore(core: CachedCore): Promise<string | null> {
  const { root, folder } = foldersOf(core)
  return withLock(gate(root), async () => {
    if (await isHeld(root, core.version)) return null
    const trashFolder = join(root, `.old-${randomBytes(4).toString('hex')}`)
    await rename(folder, trashFolder)
    return trashFolder
  })
}

async function isHeld(root: string, version: string): Promise<boolean> {
  const prefix = `.use-${version}-`
  for (const name of await readdir(root)) {
    if (!name.startsWith(prefix) || !/^[0-9a-f]{8}$/.test(name.slice(prefix.length))) continue
    // The lock of a dead process can be taken, and is removed on release.
    const lock = await takeLock(join(root, name))
    if (!lock.held) return true
    await lock.release()
  }
  return false
}
