import { randomBytes } from 'node:crypto'
import { readdir, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { exists } from '#server/platform/files/exists.ts'
import { takeLock, withLock } from '#server/platform/processes/lock-file.ts'
import { systemErrorCode } from '#server/platform/processes/startup-error.ts'
import type { CachedCore } from './cached-core.ts'

/** A core that nobody removes before it is released. */
export interface HeldCore {
  core: CachedCore
  release(): Promise<void>
}

/** Folder of a core, and the one that all of them are in. */
function placeOf(core: CachedCore): { folder: string; root: string } {
  const folder = dirname(core.files)
  return { folder, root: dirname(folder) }
}

/** Held for moments only, so that taking a core and removing one never overlap. */
const gate = (root: string): string => join(root, '.use.lock')

/**
 * Keeps a core in the cache while its files are read, also against other processes that share the cache; a process that
 * dies lets go. Null when the core is no longer there.
 */
export async function holdCore(core: CachedCore): Promise<HeldCore | null> {
  const { root } = placeOf(core)
  try {
    return await withLock(gate(root), async () => {
      if (!(await exists(core.files))) return null
      const lock = await takeLock(join(root, `.use-${core.version}-${randomBytes(4).toString('hex')}`))
      return { core, release: lock.held ? lock.release : async () => undefined }
    })
  } catch (error) {
    // A cache that we may only read: whoever fills it does not renew it under those who use it.
    if (!['EACCES', 'EPERM', 'EROFS'].includes(systemErrorCode(error))) throw error
    return { core, release: async () => undefined }
  }
}

/**
 * Takes a core out of the cache in one step unless somebody holds it. The caller removes the returned folder; its name
 * begins with `.old-`.
 */
export async function retireCore(core: CachedCore): Promise<string | null> {
  const { root, folder } = placeOf(core)
  return withLock(gate(root), async () => {
    if (await isHeld(root, core.version)) return null
    const aside = join(root, `.old-${randomBytes(4).toString('hex')}`)
    await rename(folder, aside)
    return aside
  })
}

async function isHeld(root: string, version: string): Promise<boolean> {
  const prefix = `.use-${version}-`
  for (const name of await readdir(root)) {
    if (!name.startsWith(prefix) || !/^[0-9a-f]{8}$/.test(name.slice(prefix.length))) continue
    // What a dead process left can be taken, and is gone with the release.
    const lock = await takeLock(join(root, name))
    if (!lock.held) return true
    await lock.release()
  }
  return false
}
