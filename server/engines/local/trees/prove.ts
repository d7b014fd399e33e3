import { hash, createHash } from 'node:crypto'
import { closeSync } from 'node:fs'
import { join } from 'node:path'
import { openBelow, openFolder, type Folder } from '#server/platform/trees/folder.ts'
import { walkTree } from '#server/platform/trees/walk.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'
import { assertSafePath } from '../core/package-names.ts'
import { readArchive } from './read-archive.ts'
import { readExactly } from './read-file.ts'
import { stagingName } from './staging.ts'

/** Maximum length of a path (PATH_MAX of Linux without the terminator), in bytes. */
const longestPath = 4095

/**
 * Reads an archive and compares each file in it with the one on disk, byte for byte, before anything is removed. The site is
 * stopped: nothing writes meanwhile.
 * @param archive written by `packFolders`
 * @returns number of files
 * @throws EngineError `conflict` naming the first file that differs, is missing or is unexpected, `invalid` for a name that
 * could not be restored; disk errors unchanged
 */
export async function verifyArchive(
  root: string,
  folders: readonly string[],
  archive: string,
  signal: AbortSignal,
  onFile: () => void,
): Promise<number> {
  const site = openFolder(root)
  const left = keysOf(site, folders)
  const count = left.size
  try {
    await readArchive(archive, signal, (header) => {
      assertRestorable(root, header.name)
      if (header.type !== 'file') return null
      if (!left.delete(keyOf(Buffer.from(header.name)))) throw differenceError(header.name)
      const packed = createHash('sha256')
      return {
        write: (chunk) => void packed.update(chunk),
        end: () => {
          if (!packed.digest().equals(hashOnDisk(site, header.name, header.size))) throw differenceError(header.name)
          onFile()
        },
      }
    })
    if (left.size > 0) throw differenceError(nameOfFirst(site, folders, left))
    return count
  } catch (error) {
    // A disk error doesn't mean that the archive is damaged.
    if (error instanceof EngineError || signal.aborted || (error as NodeJS.ErrnoException).syscall) throw error
    throw new EngineError('conflict', msg`The archive cannot be read.`, { nextAction, cause: error })
  } finally {
    site.close()
  }
}

const nextAction = msg`Retry: the site is packed again. Nothing was removed.`

function differenceError(name: string): EngineError {
  return new EngineError('conflict', msg`The archive differs from the site in ${name}.`, { nextAction })
}

/** What unpacking would reject must be detected while the files still exist. */
function assertRestorable(root: string, name: string): void {
  try {
    assertSafePath(name)
    if (Buffer.byteLength(join(root, stagingName, name)) <= longestPath) return
  } catch (cause) {
    throw unrestorable(name, cause)
  }
  throw unrestorable(name)
}

function unrestorable(name: string, cause?: unknown): EngineError {
  return new EngineError(
    'invalid',
    msg`${name} could not be restored from an archive: its name has a backslash, begins like a drive, or is too long.`,
    {
      nextAction: msg`Rename it, or delete the site permanently. Nothing was removed.`,
      cause,
    },
  )
}

function hashOnDisk(site: Folder, path: string, size: number): Buffer {
  const names = path.split('/')
  const folder = openBelow(site, names.slice(0, -1))
  const file = folder?.openFile(Buffer.from(names.at(-1) ?? '')) ?? null
  folder?.close()
  if (file === null) throw differenceError(path)
  try {
    if (file.stats.size !== size) throw differenceError(path)
    const digest = createHash('sha256')
    for (const piece of readExactly(file.fd, size)) digest.update(piece)
    return digest.digest()
  } finally {
    closeSync(file.fd)
  }
}

/** 128 bits for each path: the names of a site with very many files would not fit into memory. */
const keyOf = (path: Buffer): string => hash('sha256', path, 'base64').slice(0, 22)

function keysOf(site: Folder, folders: readonly string[]): Set<string> {
  const keys = new Set<string>()
  for (const path of filesBelow(site, folders)) keys.add(keyOf(path))
  return keys
}

function nameOfFirst(site: Folder, folders: readonly string[], keys: ReadonlySet<string>): string {
  for (const path of filesBelow(site, folders)) if (keys.has(keyOf(path))) return path.toString('utf8')
  return ''
}

/** Paths of all regular files in the folders, as named in the archive. A missing folder has none. */
function* filesBelow(site: Folder, folders: readonly string[]): Generator<Buffer, void, undefined> {
  for (const name of folders) {
    const folder = site.open(Buffer.from(name))
    if (folder === null) continue
    try {
      for (const { path, kind } of walkTree(folder, Buffer.from(name))) if (kind === 'file') yield path
    } finally {
      folder.close()
    }
  }
}
