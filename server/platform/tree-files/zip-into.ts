import { closeSync, fchmodSync, readFileSync, writeSync, type Stats } from 'node:fs'
import type { Folder } from '../trees/folder.ts'
import type { RoomCounter } from './file-room.ts'
import { countProgress, type OnProgress } from './progress.ts'
import { assertFree } from './text-file.ts'
import { assertNewPath, atPath } from './tree-path.ts'
import { FileRefusal } from './refusal.ts'
import { createIn, namesWith, withWorkFolder, type SiteTree } from './work-folder.ts'
import { assertExisting, workOfPaths, zipFiles } from './zip-files.ts'

/** What is packed. */
export interface Zip {
  readonly paths: readonly string[]
  readonly to: string
  /** `[\w-]{1,64}`; null: it can't be repeated. */
  readonly operation: string | null
  readonly onProgress: OnProgress
}

/**
 * Writes files and folders into a new ZIP archive of the site, which appears when it is complete. Links and special files are
 * left out. Returns its size in bytes. Repeating an operation whose archive is in place changes nothing.
 */
export async function zipInto(
  tree: SiteTree,
  { paths, to, operation, onProgress }: Zip,
  counter: RoomCounter,
): Promise<{ bytes: number }> {
  assertNewPath(to)
  const done = operation === null ? null : packedBefore(tree, operation, to)
  if (done !== null) return done
  assertExisting(tree.root, paths)
  atPath(tree.root, to, (folder, name) => assertFree(folder, name, to))
  counter.add(0)
  const name = Buffer.from('archive')
  return withWorkFolder(tree, async (work) => {
    const progress = countProgress(workOfPaths(tree.root, paths), onProgress)
    const archive = createIn(work, name)
    let bytes = 0
    try {
      for await (const piece of zipFiles(tree.root, paths, progress.add)) {
        counter.grow(piece.length)
        for (let written = 0; written < piece.length;) written += writeSync(archive, piece, written)
        bytes += piece.length
      }
      fchmodSync(archive, 0o644)
    } finally {
      closeSync(archive)
    }
    atPath(tree.root, to, (folder, target) => {
      assertFree(folder, target, to)
      if (operation !== null) note(tree, operation, work.statsOf(name))
      work.rename(name, folder, target)
    })
    return { bytes }
  })
}

const notePrefix = '.packed-'

/** Says which file an operation is about to put into place; forgets those of earlier ones. */
function note({ trash }: SiteTree, operation: string, stats: Stats | null): void {
  for (const name of namesWith(trash, notePrefix)) trash.removeFile(name)
  const file = createIn(trash, noteName(operation))
  try {
    writeSync(file, identityOf(stats))
  } finally {
    closeSync(file)
  }
}

/** The archive of an operation that put it into place and was cut off after that; null if it did not. */
function packedBefore({ root, trash }: SiteTree, operation: string, to: string): { bytes: number } | null {
  const noted = readNote(trash, operation)
  if (noted === null) return null
  const stats = atPath(root, to, (folder, name) => folder.statsOf(name))
  return stats !== null && noted === identityOf(stats) ? { bytes: stats.size } : null
}

/**
 * Removes the archive that an operation put into place; nothing if it did not, or if it is gone. Can be repeated. `left`: something
 * else has its name by now, or it was changed; that is never removed.
 */
export function undoZip({ root, trash }: SiteTree, operation: string, to: string): { left: boolean } {
  const noted = readNote(trash, operation)
  if (noted === null) return { left: false }
  const left = removeNoted(root, noted, to)
  // Kept for a repetition, which must find out the same.
  if (!left) trash.removeFile(noteName(operation))
  return { left }
}

/** Returns whether something else is there. */
function removeNoted(root: Folder, noted: string, to: string): boolean {
  try {
    return atPath(root, to, (folder, name) => {
      const stats = folder.statsOf(name)
      if (stats === null) return false
      if (noted !== identityOf(stats)) return true
      folder.removeFile(name)
      return false
    })
  } catch (error) {
    // The folder that held it is gone.
    if (error instanceof FileRefusal && error.code === 'not_found') return false
    throw error
  }
}

function readNote(trash: Folder, operation: string): string | null {
  const noted = trash.openFile(noteName(operation))
  if (noted === null) return null
  try {
    return readFileSync(noted.fd, 'utf8')
  } finally {
    closeSync(noted.fd)
  }
}

/** With its time: the inode of a removed file is soon another one's, which may even be as long. */
const identityOf = (stats: Stats | null): string => `${stats?.ino} ${stats?.size} ${stats?.mtimeMs}`

function noteName(operation: string): Buffer {
  if (!/^[\w-]{1,64}$/.test(operation)) throw new Error('This is no id of an operation.')
  return Buffer.from(notePrefix + operation)
}
