import { readdirSync } from 'node:fs'
import type { FsNode, LimitContext } from './node-fs.ts'
import type { QuotaArea } from './quota.ts'

/** ENAMETOOLONG in Emscripten (WASI). */
const enametoolong = 37

/**
 * Maximum folder depth. A walk goes twice as deep (`maxDepth` of `walk.ts`), so everything PHP creates is counted. Error log
 * and mail allow no subfolders, because the engine empties and counts them without reading folders.
 */
const maxDepth: Readonly<Record<QuotaArea, number>> = { files: 100, logs: 0, outbox: 0 }

/** Rejects a new folder in `parent` if it would be too deep. */
export function assertFolderFits(context: LimitContext, area: QuotaArea, parent: FsNode): void {
  if (levelsLeft(area, parent) < 1) reject(context)
}

/** Rejects moving the folder `node` to `parent` if it or one of its subfolders would be too deep. */
export function assertMoveFits(context: LimitContext, area: QuotaArea, node: FsNode, parent: FsNode): void {
  // Only moving to a deeper level can exceed the maximum depth.
  if (depthOf(parent) + 1 <= depthOf(node)) return
  const path = context.runtime.FS.filesystems.NODEFS.realPath(node)
  if (!areFoldersWithin(path, levelsLeft(area, parent))) reject(context)
}

function reject({ runtime }: LimitContext): never {
  throw new runtime.FS.ErrnoError(enametoolong)
}

const levelsLeft = (area: QuotaArea, parent: FsNode): number => maxDepth[area] - depthOf(parent)

/** Number of folders from the root of the mount to a node, including itself. */
function depthOf(node: FsNode): number {
  let depth = 0
  for (let at = node; at.parent !== at; at = at.parent) depth += 1
  return depth
}

/** Whether a folder and its subfolders have at most this many levels. False if one is unreadable. */
function areFoldersWithin(path: string, most: number): boolean {
  // Names are bytes: what other programs put there need not be text.
  const levels: { path: Buffer; left: number }[] = [{ path: Buffer.from(path), left: most }]
  for (let level = levels.pop(); level !== undefined; level = levels.pop()) {
    const { path: folder, left } = level
    if (left < 1) return false
    try {
      for (const entry of readdirSync(folder, { withFileTypes: true, encoding: 'buffer' }))
        if (entry.isDirectory())
          levels.push({ path: Buffer.concat([folder, Buffer.from('/'), entry.name]), left: left - 1 })
    } catch {
      return false
    }
  }
  return true
}
