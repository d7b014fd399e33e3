import { systemErrorCode } from '../processes/startup-error.ts'
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
  /** Why a folder was not entered: nested too deep, or closed to us. One that is gone by now is not told of as skipped. */
  readonly skipped: 'deep' | 'closed' | null
}

/** Errors that mean: closed to us, or beyond the longest path of the system. */
export const closedFolderCodes: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'ENAMETOOLONG'])

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
      const next = nextOf(level.listing)
      if (next === null) {
        leave(levels)
        continue
      }
      const { name, kind } = next
      const { folder } = level
      const path = join(level.path, name)
      const below = kind === 'folder' ? enter(folder, name, levels.length) : null
      // Before the walk may end here: whatever is in the list is closed then.
      if (below !== null && typeof below !== 'string') levels.push({ ...below, path })
      yield { folder, name, path, kind, skipped: typeof below === 'string' ? below : null }
    }
  } finally {
    while (levels.length > 0) leave(levels)
  }
}

/** Null when it is no folder any more. */
function enter(parent: Folder, name: Buffer, depth: number): Pick<Level, 'folder' | 'listing'> | WalkEntry['skipped'] {
  if (depth >= maxDepth) return 'deep'
  let folder: Folder | null = null
  try {
    folder = parent.open(name)
    return folder === null ? null : { folder, listing: folder.list() }
  } catch (error) {
    folder?.close()
    const code = systemErrorCode(error)
    if (closedFolderCodes.has(code)) return 'closed'
    if (code === 'ENOENT') return null
    throw error
  }
}

/** The next entry; none in a folder that was removed meanwhile, which the system answers with an error. */
function nextOf(listing: Listing): ReturnType<Listing['next']> {
  try {
    return listing.next()
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return null
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
