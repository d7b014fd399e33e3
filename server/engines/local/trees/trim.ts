import { openFolder } from '#server/platform/trees/folder.ts'
import { removeEntry } from '#server/platform/trees/remove-tree.ts'
import { systemErrorCode } from '#server/platform/processes/startup-error.ts'
import { bytesOnDisk } from '../quota/size-on-disk.ts'
import type { TreeLimits } from './limits.ts'

/**
 * Removes the oldest files of a folder until it holds no more than the limits, and everything in it that is no file: such
 * a folder has nothing but files of one kind. Nothing happens when there is none.
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
      const facts = entry.kind === 'file' ? folder.factsOf(entry.name) : null
      if (facts === null) await removeEntry(folder, entry.name)
      else {
        const size = bytesOnDisk(facts)
        files.push({ name: entry.name, age: facts.mtimeMs, bytes: size })
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
