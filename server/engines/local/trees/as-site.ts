import { flushCompileCache } from 'node:module'
import type { SiteTree } from '#server/platform/tree-files/work-folder.ts'
import { openFolder } from '#server/platform/trees/folder.ts'
import type { SiteFolders } from './site-folders.ts'

/**
 * Runs work on the folders of a site as its user, for the rest of this process. The folders are opened first: the site's user can't
 * enter those above them.
 */
export async function asSite<T>({ root, trash, uid }: SiteFolders, work: (tree: SiteTree) => Promise<T>): Promise<T> {
  const served = openFolder(root)
  try {
    const beside = openFolder(trash)
    try {
      // Later it could not be written any more.
      if (uid !== null) flushCompileCache()
      becomeUser(uid)
      return await work({ root: served, trash: beside })
    } finally {
      beside.close()
    }
  } finally {
    served.close()
  }
}

/** Drops the rights of root for good. What the site's own user can't do is then refused by the system. */
function becomeUser(uid: number | null): void {
  if (uid === null) return
  process.setgroups?.([])
  process.setgid?.(uid)
  process.setuid?.(uid)
  if (process.getuid?.() !== uid || process.geteuid?.() !== uid)
    throw new Error('The process could not give up its rights.')
  process.umask(0o022)
}
