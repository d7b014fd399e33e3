import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { systemErrorCode } from '#server/platform/processes/startup-error.ts'
import { removeTree } from '#server/platform/trees/remove-tree.ts'
import { copyTree } from './copy-tree.ts'
import type { CachedCore } from '../core/cached-core.ts'
import type { PinnedCore } from '../core/core-use.ts'
import type { LocalEngineLog } from '../options.ts'

/**
 * Keeps one copy of the newest WordPress ready for the next new site. Copying 2,900 small files takes one to three seconds
 * of file-system work, the largest part of a site's creation; using the copy is one rename.
 */
export interface SpareCopy {
  /** Moves the copy of that core to `target`; false if there is none. */
  take(core: CachedCore, target: string): Promise<boolean>
  /** Creates a copy of the newest core in the background unless there is one, after `afterMs` (default immediately). */
  refill(afterMs?: number): void
  stop(): Promise<void>
}

/**
 * @param folder on the same file system as the sites
 * @param newest the newest core, held; the copy holds it until it copies another one or stops
 */
export function createSpareCopy(
  folder: string,
  newest: (signal: AbortSignal) => Promise<PinnedCore>,
  log: LocalEngineLog,
): SpareCopy {
  const stopping = new AbortController()
  let filling: Promise<void> | null = null
  let again = false
  let later: NodeJS.Timeout | null = null
  let held: PinnedCore | null = null

  /** Renamed first: a copy that is being removed must not be used. */
  const remove = async (name: string): Promise<void> => {
    const aside = join(folder, `old-${randomBytes(4).toString('hex')}`)
    if (await moveIfPresent(join(folder, name), aside)) await removeTree(aside)
  }

  const fill = async (): Promise<void> => {
    const previous = held
    held = await newest(stopping.signal)
    await previous?.release()
    const { core } = held
    await mkdir(folder, { recursive: true })
    const names = await readdir(folder)
    for (const name of names) if (name !== core.version) await remove(name)
    if (names.includes(core.version)) return
    const fresh = join(folder, `new-${randomBytes(4).toString('hex')}`)
    try {
      await copyTree(core.files, fresh, stopping.signal, () => undefined)
      await rename(fresh, join(folder, core.version))
    } catch (error) {
      await removeTree(fresh)
      throw error
    }
  }

  const start = (): void => {
    if (stopping.signal.aborted) return
    if (filling !== null) {
      again = true
      return
    }
    filling = fill()
      .catch((error: unknown) => {
        // Only affects speed: the next site makes its own copy.
        if (!stopping.signal.aborted) log.warn('The spare copy of WordPress could not be made', { error })
      })
      .finally(() => {
        filling = null
        if (!again) return
        again = false
        start()
      })
  }

  return {
    take: (core, target) => moveIfPresent(join(folder, core.version), target),
    refill: (afterMs = 0) => {
      if (later !== null) clearTimeout(later)
      later = setTimeout(start, afterMs)
      later.unref()
    },
    stop: async () => {
      if (later !== null) clearTimeout(later)
      stopping.abort()
      await filling
      await held?.release()
      held = null
    },
  }
}

/** False if there was nothing to move. */
async function moveIfPresent(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to)
    return true
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return false
    throw error
  }
}
