import { systemErrorCode } from '../startup-error.ts'
import type { EntryKind, Folder, Listing } from './folder.ts'

/** Folders nested deeper than this are not entered: WordPress needs about twelve, and each one costs an open file. */
export const maxDepth = 200

/** Something that a walk came by. `folder` is open only until the next step. */
export interface WalkEntry {
  /** The folder it is in. */
  readonly folder: Folder
  readonly name: Buffer
  /** Below the folder where the walk began, with slashes. */
  readonly path: Buffer
  readonly kind: EntryKind
  /** A folder that could not be entered: nested too deep, closed to us, or swapped for something else meanwhile. */
  readonly skipped: boolean
}

interface Level {
  readonly folder: Folder
  readonly path: Buffer
  readonly listing: Listing
}

/**
 * Everything below a folder, folders before what is in them; links and special files are told of and never followed.
 * Memory is bounded by the depth. The caller closes `root`.
 */
export function* walkTree(root: Folder, prefix: Buffer = Buffer.alloc(0)): Generator<WalkEntry, void, undefined> {
  const levels: Level[] = [{ folder: root, path: prefix, listing: root.list() }]
  try {
    for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
      const next = level.listing.next()
      if (next === null) {
        leave(levels)
        continue
      }
      const { name, kind } = next
      const { folder } = level
      const path = join(level.path, name)
      const below = kind === 'folder' && levels.length < maxDepth ? enter(folder, name) : null
      // Before the walk may end here: whatever is in the list is closed then.
      if (below !== null) levels.push({ ...below, path })
      yield { folder, name, path, kind, skipped: kind === 'folder' && below === null }
    }
  } finally {
    while (levels.length > 0) leave(levels)
  }
}

/** Null when it is no folder any more, or one that may not be read. */
function enter(parent: Folder, name: Buffer): Pick<Level, 'folder' | 'listing'> | null {
  const folder = openReadable(() => parent.open(name))
  if (folder === null) return null
  const listing = openReadable(() => folder.list())
  if (listing !== null) return { folder, listing }
  folder.close()
  return null
}

function openReadable<T>(open: () => T | null): T | null {
  try {
    return open()
  } catch (error) {
    if (['EACCES', 'EPERM', 'ENAMETOOLONG'].includes(systemErrorCode(error))) return null
    throw error
  }
}

/** The folder where the walk began stays open: it is the caller's. */
function leave(levels: Level[]): void {
  const level = levels.pop()
  level?.listing.close()
  if (levels.length > 0) level?.folder.close()
}

function join(path: Buffer, name: Buffer): Buffer {
  return path.length === 0 ? name : Buffer.concat([path, Buffer.from('/'), name])
}
