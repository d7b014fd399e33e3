import { constants, createReadStream, createWriteStream } from 'node:fs'
import { chown, lstat, mkdir, open, readdir, rename, rm, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress, createZstdDecompress } from 'node:zlib'
import { readTar, tarEnd, tarHeader, tarPadding } from './core/tar.ts'
import { assertSafePath } from './core/zip.ts'

/**
 * Packs folders below `root` into one zstd-compressed tar file. Links are left out and never followed.
 * The file appears under its name only when it is complete and on the disk.
 * @returns number of files
 */
export async function packFolders(root: string, folders: readonly string[], target: string, signal: AbortSignal, onFile: () => void): Promise<number> {
  const temporary = `${target}.new`
  let count = 0
  const tar = tarOf(root, folders, () => {
    count += 1
    onFile()
  })
  await pipeline(Readable.from(tar, { objectMode: false }), createZstdCompress(), createWriteStream(temporary, { mode: 0o600 }), { signal })
  const file = await open(temporary, 'r+')
  await file.sync()
  await file.close()
  await rename(temporary, target)
  return count
}

async function* tarOf(root: string, folders: readonly string[], onFile: () => void): AsyncGenerator<Buffer> {
  const pending = [...folders]
  for (let folder = pending.shift(); folder !== undefined; folder = pending.shift()) {
    const facts = await lstat(join(root, folder)).catch(ignoreMissing)
    if (facts === null || !facts.isDirectory()) continue
    yield tarHeader({ name: `${folder}/`, type: 'directory', size: 0, mode: facts.mode & 0o777, mtime: facts.mtimeMs / 1000 })
    const entries = await readdir(join(root, folder), { withFileTypes: true })
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) pending.push(path)
      else if (entry.isFile()) yield* memberOf(root, path, onFile)
    }
  }
  yield tarEnd
}

async function* memberOf(root: string, path: string, onFile: () => void): AsyncGenerator<Buffer> {
  const file = await open(join(root, path), constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    const facts = await file.stat()
    yield tarHeader({ name: path, type: 'file', size: facts.size, mode: facts.mode & 0o777, mtime: facts.mtimeMs / 1000 })
    if (facts.size > 0) {
      let size = 0
      for await (const chunk of file.createReadStream({ start: 0, end: facts.size - 1, autoClose: false }) as AsyncIterable<Buffer>) {
        size += chunk.length
        yield chunk
      }
      if (size !== facts.size) throw new Error('A file of the site changed while it was packed.')
    }
    yield tarPadding(facts.size)
    onFile()
  } finally {
    await file.close()
  }
}

/** Unpacks such a file into an empty folder. Owner: user and group of everything; null: whoever runs this. */
export async function unpackFolders(archive: string, into: string, owner: number | null, signal: AbortSignal, onFile: () => void): Promise<void> {
  await mkdir(into, { recursive: true })
  const source = createReadStream(archive, { signal })
  const plain = createZstdDecompress()
  source.once('error', (error) => plain.destroy(error))
  await readTar(source.pipe(plain), async (header) => {
    assertSafePath(header.name)
    const path = join(into, header.name)
    if (header.type === 'directory') {
      await mkdir(path, { recursive: true, mode: header.mode })
      if (owner !== null) await chown(path, owner, owner)
      return null
    }
    if (header.type !== 'file') return null
    await mkdir(dirname(path), { recursive: true })
    const file = await open(path, 'wx', header.mode)
    return {
      write: async (chunk) => { await file.writeFile(chunk) },
      end: async () => {
        if (owner !== null) await file.chown(owner, owner)
        await file.close()
        await utimes(path, header.mtime, header.mtime)
        onFile()
      },
    }
  })
}

/** Removes what an interrupted packing left beside the target. */
export async function removeUnfinishedArchive(target: string): Promise<void> {
  await rm(`${target}.new`, { force: true })
}

function ignoreMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}
