import { openFolder, type Folder } from '#server/platform/trees/folder.ts'
import { inaccessibleCodes, walkTree } from '#server/platform/trees/walk.ts'
import { systemErrorCode } from '#server/platform/processes/startup-error.ts'
import { bytesOnDisk } from '../quota/size-on-disk.ts'

/** Disk usage of a folder. */
export interface Measured {
  /** Bytes that files and folders occupy, or their lengths if those are more (sparse or compressed files). */
  bytes: number
  /** Files, folders, links and all other entries. */
  entries: number
  /** False: there is more than was counted. */
  complete: boolean
  /** Something can't be counted at all: inaccessible folders, or folders nested too deeply. PHP can create neither. */
  hidden: boolean
}

/** When measuring stops. */
export interface MeasureLimits {
  entries: number
  /** CPU time from now on, so that other processes don't shorten the measurement. */
  cpuMs: number
}

/** Number of entries between two checks of the clock. */
const clockEvery = 256

/** Measures a folder and its contents within the limits. Follows no links; synchronous. */
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
      const stats = folder.statsOf(name)
      if (stats === null) continue
      total.entries += 1
      total.bytes += bytesOnDisk(stats)
      if (skipped !== null) total.hidden = true
    }
  } catch (error) {
    // Also applies to the top folder, and to one that is inaccessible right now: the result is a lower bound.
    if (!inaccessibleCodes.has(systemErrorCode(error))) throw error
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
