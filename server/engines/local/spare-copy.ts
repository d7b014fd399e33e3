import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { chownTree, copyTree } from './copy-tree.ts'
import type { CachedCore } from './core/core-cache.ts'
import type { LocalEngineLog } from './options.ts'

/**
 * Keeps one copy of WordPress ready for the next new site. Copying 2,900 small files takes one to three
 * seconds of file system work, the largest part of a site's creation; taking the copy is one rename.
 */
export interface SpareCopy {
  /** Moves the copy of that core to `target`; false when there is none. */
  take(core: CachedCore, target: string, owner: number | null): Promise<boolean>
  /** Makes a copy in the background unless there is one, `afterMs` from now (default at once). */
  refill(core: CachedCore, afterMs?: number): void
  stop(): Promise<void>
}

/** @param folder on the same file system as the sites */
export function createSpareCopy(folder: string, log: LocalEngineLog): SpareCopy {
  const stopping = new AbortController()
  let filling: Promise<void> | null = null
  let later: NodeJS.Timeout | null = null

  const fill = async (core: CachedCore): Promise<void> => {
    await mkdir(folder, { recursive: true })
    const names = await readdir(folder)
    for (const name of names) if (name !== core.version) await rm(join(folder, name), { recursive: true, force: true })
    if (names.includes(core.version)) return
    const fresh = join(folder, `new-${randomBytes(4).toString('hex')}`)
    await copyTree(core.files, fresh, null, stopping.signal, () => undefined)
    await rename(fresh, join(folder, core.version))
  }

  const start = (core: CachedCore): void => {
    if (filling !== null || stopping.signal.aborted) return
    filling = fill(core)
      .catch((error: unknown) => {
        // Only speed is lost: the next site copies for itself.
        if (!stopping.signal.aborted) log.warn('The spare copy of WordPress could not be made', { error })
      })
      .finally(() => {
        filling = null
      })
  }

  return {
    take: async (core, target, owner) => {
      try {
        await rename(join(folder, core.version), target)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
        throw error
      }
      if (owner !== null) await chownTree(target, owner)
      return true
    },
    refill: (core, afterMs = 0) => {
      if (later !== null) clearTimeout(later)
      later = setTimeout(() => start(core), afterMs)
      later.unref()
    },
    stop: async () => {
      if (later !== null) clearTimeout(later)
      stopping.abort()
      await filling
    },
  }
}
