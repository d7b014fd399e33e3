import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join, posix, relative, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createZstdDecompress } from 'node:zlib'
import { exists } from '#server/platform/exists.ts'
import { readTar } from '#server/platform/tar.ts'
import { say } from '#shared/sentence.ts'
import { EngineError } from '../engine.ts'
import { restoredName, wholeBytes } from './archive.ts'
import { assertSafePath } from './core/zip.ts'

/** Longest path the system takes (PATH_MAX of Linux without its end), in bytes. */
const longestPath = 4095

/**
 * Reads a packed archive and compares each file in it with the one on the disk, byte for byte, before anything is removed.
 * The site is stopped: nothing writes meanwhile.
 * @param archive what `packFolders` wrote
 * @returns number of files
 * @throws EngineError `conflict` naming the first file that differs, is missing or is too much, `invalid` for a name that
 * could not be restored; errors of the disk as they are
 */
export async function proveArchive(
  root: string,
  folders: readonly string[],
  archive: string,
  signal: AbortSignal,
  onFile: () => void,
): Promise<number> {
  const left = await filesBelow(root, folders)
  const count = left.size
  const source = createReadStream(archive, { signal })
  const plain = createZstdDecompress()
  source.once('error', (error) => plain.destroy(error))
  try {
    await readTar(source.pipe(plain), (header) => {
      signal.throwIfAborted()
      assertRestorable(root, header.name)
      if (header.type !== 'file') return null
      if (!left.delete(header.name)) throw differing(header.name)
      const packed = createHash('sha256')
      return {
        write: (chunk) => void packed.update(chunk),
        end: async () => {
          const onDisk = await hashOf(join(root, header.name), header.size, signal)
          if (!packed.digest().equals(onDisk)) throw differing(header.name)
          onFile()
        },
      }
    })
  } catch (error) {
    // What the disk says is no fault of the archive.
    if (error instanceof EngineError || signal.aborted || (error as NodeJS.ErrnoException).syscall) throw error
    throw new EngineError('conflict', say`The archive cannot be read.`, { nextAction, cause: error })
  } finally {
    source.destroy()
    plain.destroy()
  }
  const [missing] = left
  if (missing !== undefined) throw differing(missing)
  return count
}

const nextAction = say`Retry: the site is packed anew. Nothing was removed.`

function differing(name: string): EngineError {
  return new EngineError('conflict', say`The archive differs from the site in ${name}.`, { nextAction })
}

/** What unpacking would refuse must be known while the files are still there. */
function assertRestorable(root: string, name: string): void {
  try {
    assertSafePath(name)
    if (Buffer.byteLength(join(root, restoredName, name)) <= longestPath) return
  } catch (cause) {
    throw unrestorable(name, cause)
  }
  throw unrestorable(name)
}

function unrestorable(name: string, cause?: unknown): EngineError {
  return new EngineError(
    'invalid',
    say`${name} could not be restored from an archive: its name has a backslash, begins like a drive, or is too long.`,
    {
      nextAction: say`Rename it, or delete the site for good. Nothing was removed.`,
      cause,
    },
  )
}

async function hashOf(path: string, size: number, signal: AbortSignal): Promise<Buffer> {
  const hash = createHash('sha256')
  // One read for a usual file: a stream for each of some thousand small ones takes three times as long.
  if (size <= wholeBytes) hash.update(await readFile(path, { signal }))
  else await pipeline(createReadStream(path, { signal }), hash)
  return hash.digest()
}

/** Paths of all regular files below the folders, as the archive names them. A folder that is not there has none. */
async function filesBelow(root: string, folders: readonly string[]): Promise<Set<string>> {
  const names = new Set<string>()
  for (const folder of folders) {
    if (!(await exists(join(root, folder)))) continue
    for (const entry of await readdir(join(root, folder), { withFileTypes: true, recursive: true }))
      if (entry.isFile()) names.add(relative(root, join(entry.parentPath, entry.name)).split(sep).join(posix.sep))
  }
  return names
}
