import { systemErrorCode } from '../processes/startup-error.ts'
import type { EntryKind, Folder, Listing } from './folder.ts'

/** Folders nested deeper than this are not entered: WordPress needs about twelve levels, and each one costs an open file. */
export const maxDepth = 200

/** An entry found during a walk. `folder` is open only until the next step. */
export interface WalkEntry {
  /** Its parent folder. */
  readonly folder: Folder
  readonly name: Buffer
  /** Relative to the start of the walk, with slashes. */
  readonly path: Buffer
  readonly kind: EntryKind
  /**
   * Why a folder was not entered: nested too deeply, or not accessible. A folder that was removed meanwhile is not reported
   * as skipped.
   */
  readonly skipped: 'deep' | 'closed' | null
}

/** Errors that mean: not accessible, or beyond the system's maximum path length. */
export const inaccessibleCodes: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'ENAMETOOLONG'])

interface Level {
  readonly folder: Folder
  readonly path: Buffer
  readonly listing: Listing
}

/**
 * Yields everything below a folder, folders before their contents; links and special files are included and never followed.
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
      // Before the consumer can end the walk here: everything in the list is closed then.
      if (below !== null && typeof below !== 'string') levels.push({ ...below, path })
      yield { folder, name, path, kind, skipped: typeof below === 'string' ? below : null }
    }
  } finally {
    while (levels.length > 0) leave(levels)
  }
}

/** Null if it is not a folder any more. */
function enter(parent: Folder, name: Buffer, depth: number): Pick<Level, 'folder' | 'listing'> | WalkEntry['skipped'] {
  if (depth >= maxDepth) return 'deep'
  let folder: Folder | null = null
  try {
    folder = parent.open(name)
    return folder === null ? null : { folder, listing: folder.list() }
  } catch (error) {
    folder?.close()
    const code = systemErrorCode(error)
    if (inaccessibleCodes.has(code)) return 'closed'
    if (code === 'ENOENT') return null
    throw error
  }
}

/** The next entry; none if the folder was removed meanwhile, which the system reports as an error. */
function nextOf(listing: Listing): ReturnType<Listing['next']> {
  try {
    return listing.next()
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return null
    throw error
  }
}

/** The folder where the walk started stays open: it belongs to the caller. */
function leave(levels: Level[]): void {
  const level = levels.pop()
  level?.listing.close()
  if (levels.length > 0) level?.folder.close()
}

function join(path: Buffer, name: Buffer): Buffer {
  return path.length === 0 ? name : Buffer.concat([path, Buffer.from('/'), name])
}
