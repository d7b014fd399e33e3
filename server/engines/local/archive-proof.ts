import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join, posix, relative, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createZstdDecompress } from 'node:zlib'
import { readTar } from '#server/platform/tar.ts'
import { say } from '#shared/sentence.ts'
import { EngineError } from '../engine.ts'

/**
 * Reads a packed archive from its begin to its end and compares each file in it with the one on the disk, byte for byte,
 * before anything is removed. The site is stopped: nothing writes meanwhile.
 * @param archive what `packFolders` wrote
 * @returns number of files
 * @throws EngineError `conflict` naming the first file that differs, is missing or is too much
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
      if (header.type !== 'file') return null
      if (!left.delete(header.name)) throw differing(header.name)
      const packed = createHash('sha256')
      return {
        write: (chunk) => void packed.update(chunk),
        end: async () => {
          const onDisk = createHash('sha256')
          await pipeline(createReadStream(join(root, header.name), { signal }), onDisk)
          if (!packed.digest().equals(onDisk.digest())) throw differing(header.name)
          onFile()
        },
      }
    })
  } catch (error) {
    if (error instanceof EngineError || signal.aborted) throw error
    throw new EngineError('conflict', say`The archive cannot be read.`, { nextAction, cause: error })
  } finally {
    source.destroy()
  }
  const [missing] = left
  if (missing !== undefined) throw differing(missing)
  return count
}

const nextAction = say`Retry: the site is packed anew. Nothing was removed.`

function differing(name: string): EngineError {
  return new EngineError('conflict', say`The archive differs from the site in ${name}.`, { nextAction })
}

/** Paths of all regular files below the folders, as the archive names them. */
async function filesBelow(root: string, folders: readonly string[]): Promise<Set<string>> {
  const names = new Set<string>()
  for (const folder of folders) {
    const entries = await readdir(join(root, folder), { withFileTypes: true, recursive: true }).catch(
      (error: unknown) => {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
        throw error
      },
    )
    for (const entry of entries)
      if (entry.isFile()) names.add(relative(root, join(entry.parentPath, entry.name)).split(sep).join(posix.sep))
  }
  return names
}
