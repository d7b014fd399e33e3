import { openFolder } from '#server/platform/trees/folder.ts'
import { removeEntry } from '#server/platform/trees/remove-tree.ts'
import { systemErrorCode } from '#server/platform/processes/startup-error.ts'
import { bytesOnDisk } from '../quota/size-on-disk.ts'
import type { TreeLimits } from './limits.ts'

/**
 * Removes the oldest files of a folder until it is within the limits, and everything in it that is not a file: such a folder
 * contains only files of one kind. Does nothing if it does not exist.
 */
export async function trimFolder(path: string, limits: TreeLimits): Promise<void> {
  let folder
  try {
    folder = openFolder(path)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemErrorCode(error))) return
    throw error
  }
  const listing = folder.list()
  try {
    const files: { name: Buffer; age: number; bytes: number }[] = []
    let bytes = 0
    for (let entry = listing.next(); entry !== null; entry = listing.next()) {
      const stats = entry.kind === 'file' ? folder.statsOf(entry.name) : null
      if (stats === null) await removeEntry(folder, entry.name)
      else {
        const size = bytesOnDisk(stats)
        files.push({ name: entry.name, age: stats.mtimeMs, bytes: size })
        bytes += size
      }
    }
    let left = files.length
    for (const file of files.toSorted((a, b) => a.age - b.age)) {
      if (bytes <= limits.bytes && left <= limits.entries) return
      folder.removeFile(file.name)
      bytes -= file.bytes
      left -= 1
    }
  } finally {
    listing.close()
    folder.close()
  }
}
