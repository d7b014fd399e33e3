import { basename, dirname } from 'node:path'
import { openFolder } from '#server/platform/trees/folder.ts'
import { walkTree } from '#server/platform/trees/walk.ts'

const skipReasons = { deep: 'nested too deep', closed: 'closed' }

/**
 * Changes the owner of a folder and its contents to a user and the group of the same number; for links themselves, not their
 * targets. The top folder is changed last, so that a tree in one of our folders changes owner as a whole.
 * @throws ForeignFileError for a file with another hard link, which may be outside; Error for inaccessible folders
 */
export function chownTree(path: string, uid: number): void {
  const parent = openFolder(dirname(path))
  try {
    const top = Buffer.from(basename(path))
    const folder = parent.open(top)
    if (folder === null) return
    try {
      for (const { folder: within, name, skipped } of walkTree(folder)) {
        if (skipped !== null)
          throw new Error(`The folder holds a folder whose owner cannot be changed: it is ${skipReasons[skipped]}.`)
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
