import { openFolder, type Folder } from '#server/platform/trees/folder.ts'
import { closedFolderCodes, walkTree } from '#server/platform/trees/walk.ts'
import { systemErrorCode } from '#server/platform/processes/startup-error.ts'
import { bytesOnDisk } from '../quota/size-on-disk.ts'

/** What a folder takes of the disk. */
export interface Measured {
  /** Bytes that files and folders occupy, or their lengths where those are more (sparse or compressed files). */
  bytes: number
  /** Files, folders, links and whatever else has a name. */
  entries: number
  /** False: there is more than was counted. */
  complete: boolean
  /** Something cannot be counted at all: folders that are closed to us, or nested too deep. PHP can make neither. */
  hidden: boolean
}

/** Where measuring stops. */
export interface MeasureLimits {
  entries: number
  /** Time of the processor, from now on: what others do meanwhile must not cut it short. */
  cpuMs: number
}

/** Entries between two looks at the clock. */
const clockEvery = 256

/** Measures a folder and everything in it, as far as the limits allow. Follows no link; blocks until it is done. */
export function measureTree(path: string, limits: MeasureLimits): Measured {
  const total: Measured = { bytes: 0, entries: 0, complete: true, hidden: false }
  const begun = process.cpuUsage()
  let root: Folder
  try {
    root = openFolder(path)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemErrorCode(error))) return total
    throw error
  }
  try {
    for (const { folder, name, skipped } of walkTree(root)) {
      const isOver = total.entries % clockEvery === 0 && cpuMsSince(begun) > limits.cpuMs
      if (total.entries >= limits.entries || isOver) {
        total.complete = false
        break
      }
      const facts = folder.factsOf(name)
      if (facts === null) continue
      total.entries += 1
      total.bytes += bytesOnDisk(facts)
      if (skipped !== null) total.hidden = true
    }
  } catch (error) {
    // Also the top one, and one that is closed at this moment: at least what was counted until now is there.
    if (!closedFolderCodes.has(systemErrorCode(error))) throw error
    total.hidden = true
  } finally {
    root.close()
  }
  if (total.hidden) total.complete = false
  return total
}

function cpuMsSince(begun: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(begun)
  return (user + system) / 1000
}
