import { randomBytes } from 'node:crypto'
import { basename, dirname } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { systemErrorCode } from '../processes/startup-error.ts'
import { openFolder, type Folder } from './folder.ts'

/** Folders nested deeper are moved up before they are read: each level costs an open file. */
const deepest = 60
/** Removals before yielding to the event loop. */
const batchSize = 100
/** How often folders are read again if another process writes into them during removal. */
const maxTries = 100

/**
 * Removes a file or a folder with its contents, whatever a site left there: links are removed and never followed, invalid
 * text in names and missing permissions don't matter. Does nothing if the path does not exist.
 * @param path only we can write its parent folder; what is below may be changed by others meanwhile
 */
export async function removeTree(path: string): Promise<void> {
  let parent: Folder
  try {
    parent = openFolder(dirname(path))
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return
    throw error
  }
  try {
    await removeEntry(parent, Buffer.from(basename(path)))
  } finally {
    parent.close()
  }
}

/** The same for an entry of an open folder that others may be able to write. */
export async function removeEntry(parent: Folder, name: Buffer): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    if (tries > maxTries) throw new Error('Somebody writes into the folder while it is removed.')
    const stats = parent.statsOf(name)
    if (stats === null) return
    if (!stats.isDirectory()) {
      parent.removeFile(name)
      return
    }
    const root = openOwn(parent, name)
    try {
      if (root !== null) await empty(root)
    } finally {
      root?.close()
    }
    removeIfEmpty(parent, name)
  }
}

interface Level {
  readonly folder: Folder
  /** Its name in the parent folder. */
  readonly name: Buffer
}

/** Empties a folder. Entries nested too deeply are moved to its top first and removed from there. */
async function empty(root: Folder): Promise<void> {
  const levels: Level[] = [{ folder: root, name: Buffer.alloc(0) }]
  let done = 0
  let refilled = 0
  try {
    for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
      const below = await emptyLevel(level.folder, levels.length, root, async () => {
        done += 1
        if (done % batchSize === 0) await nextTurn()
      })
      if (below !== null) {
        levels.push(below)
        continue
      }
      levels.pop()
      const above = levels.at(-1)
      if (above === undefined) return
      level.folder.close()
      if (removeIfEmpty(above.folder, level.name)) continue
      refilled += 1
      if (refilled === maxTries) throw new Error('Somebody writes into the folder while it is removed.')
    }
  } finally {
    for (const { folder } of levels.slice(1)) folder.close()
  }
}

/** Removes the files of a folder up to the first subfolder, which is returned to be emptied next. */
async function emptyLevel(
  folder: Folder,
  depth: number,
  root: Folder,
  step: () => Promise<void>,
): Promise<Level | null> {
  const listing = folder.list()
  try {
    for (let entry = listing.next(); entry !== null; entry = listing.next()) {
      await step()
      const { name, kind } = entry
      if (kind !== 'folder') {
        removeFile(folder, name)
        continue
      }
      const below = openOwn(folder, name)
      if (below === null) continue
      if (depth < deepest) return { folder: below, name }
      below.close()
      folder.rename(name, root, Buffer.from(`.${randomBytes(8).toString('hex')}`))
    }
    return null
  } finally {
    listing.close()
  }
}

/** Opens a folder with the permissions needed for removing and moving: its owner may have removed them. */
function openOwn(parent: Folder, name: Buffer): Folder | null {
  const folder = parent.open(name)
  try {
    if (folder !== null && (folder.stats().mode & 0o700) !== 0o700) folder.chmod(0o700)
    return folder
  } catch (error) {
    folder?.close()
    throw error
  }
}

/** If it has become a folder, the next pass over this level finds it. */
function removeFile(folder: Folder, name: Buffer): void {
  try {
    folder.removeFile(name)
  } catch (error) {
    if (!['EISDIR', 'EPERM'].includes(systemErrorCode(error)) || !folder.statsOf(name)?.isDirectory()) throw error
  }
}

/** False if somebody wrote into it again or replaced it: the next pass over this level finds it. */
function removeIfEmpty(folder: Folder, name: Buffer): boolean {
  try {
    folder.removeFolder(name)
    return true
  } catch (error) {
    if (['ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR'].includes(systemErrorCode(error))) return false
    throw error
  }
}
