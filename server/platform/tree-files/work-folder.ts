import { randomBytes } from 'node:crypto'
import { constants, openSync } from 'node:fs'
import type { Folder } from '../trees/folder.ts'
import { removeEntry } from '../trees/remove-tree.ts'

/** The two folders of a site that operations use; both on one file system, so that moving between them is one step. */
export interface SiteTree {
  /** The folder that is served. */
  readonly root: Folder
  /** Deleted files, and work in progress. The site's own process can't reach it. */
  readonly trash: Folder
}

/** Begins the names of folders with work in progress. */
const workPrefix = '.work-'

/** Calls `work` with a new folder beside the site's, and removes it with everything left in it. */
export async function withWorkFolder<T>(tree: SiteTree, work: (folder: Folder) => T | Promise<T>): Promise<T> {
  await removeLeftovers(tree.trash)
  const name = Buffer.from(workPrefix + randomBytes(8).toString('hex'))
  tree.trash.makeFolder(name, 0o700)
  const folder = tree.trash.open(name)
  if (folder === null) throw new Error('A folder for work in progress vanished.')
  try {
    return await work(folder)
  } finally {
    folder.close()
    await removeEntry(tree.trash, name)
  }
}

/** What ended with its process. Changes of one site run one after the other, so nobody works there now. */
async function removeLeftovers(trash: Folder): Promise<void> {
  for (const name of namesWith(trash, workPrefix)) await removeEntry(trash, name)
}

/** The first names in the trash that begin so: what operations keep there. */
export function namesWith(trash: Folder, prefix: string): Buffer[] {
  const names: Buffer[] = []
  const listing = trash.list()
  try {
    for (let entry = listing.next(); entry !== null && names.length < 100; entry = listing.next())
      if (entry.name.toString('latin1').startsWith(prefix)) names.push(entry.name)
  } finally {
    listing.close()
  }
  return names
}

/** Creates and opens a new file for writing. Throws EEXIST if the name is taken, even by a link. */
export function createIn(folder: Folder, name: Buffer): number {
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants
  return openSync(folder.pathOf(name), O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, 0o600)
}
