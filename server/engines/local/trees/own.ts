import { basename, dirname } from 'node:path'
import { openFolder } from '#server/platform/trees/folder.ts'
import { walkTree } from '#server/platform/trees/walk.ts'

const skippedWords = { deep: 'nested too deep', closed: 'closed' }

/**
 * Gives a folder and everything in it to a user and the group of the same number: links themselves, not what they point
 * to. The top comes last, so that a tree that stands in a folder of ours is handed over whole.
 * @throws ForeignFileError for a file with a second name, which may lie outside; Error for folders that cannot be
 * entered
 */
export function ownTree(path: string, uid: number): void {
  const parent = openFolder(dirname(path))
  try {
    const top = Buffer.from(basename(path))
    const folder = parent.open(top)
    if (folder === null) return
    try {
      for (const { folder: within, name, skipped } of walkTree(folder)) {
        if (skipped !== null)
          throw new Error(`The folder holds a folder that cannot be handed over: it is ${skippedWords[skipped]}.`)
        within.chownEntry(name, uid, uid)
      }
      folder.chown(uid, uid)
    } finally {
      folder.close()
    }
  } finally {
    parent.close()
  }
}
