import { openFolder, type Folder } from '#server/platform/trees/folder.ts'
import { walkTree } from '#server/platform/trees/walk.ts'
import { systemErrorCode } from '#server/platform/startup-error.ts'

/** What a folder takes of the disk. */
export interface Measured {
  /** Bytes that files and folders occupy, or their lengths where those are more (sparse or compressed files). */
  bytes: number
  /** Files, folders, links and whatever else has a name. */
  entries: number
  /** False: there is more than was counted. */
  complete: boolean
}

/** Where measuring stops. */
export interface MeasureLimits {
  entries: number
  /** Moment of `performance.now()`. */
  until: number
}

/** Entries between two looks at the clock. */
const clockEvery = 256

/** Measures a folder and everything in it, as far as the limits allow. Follows no link; blocks until it is done. */
export function measureTree(path: string, limits: MeasureLimits): Measured {
  const total: Measured = { bytes: 0, entries: 0, complete: true }
  let root: Folder
  try {
    root = openFolder(path)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemErrorCode(error))) return total
    throw error
  }
  try {
    for (const { folder, name, skipped } of walkTree(root)) {
      const isOver = total.entries % clockEvery === 0 && performance.now() > limits.until
      if (total.entries >= limits.entries || isOver) {
        total.complete = false
        break
      }
      const facts = folder.factsOf(name)
      if (facts === null) continue
      total.entries += 1
      // Blocks are of 512 bytes, whatever the file system's own are (stat(2)).
      total.bytes += Math.max(facts.size, facts.blocks * 512)
      if (skipped) total.complete = false
    }
  } finally {
    root.close()
  }
  return total
}
