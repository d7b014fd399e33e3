import { constants, createReadStream, createWriteStream } from 'node:fs'
import { chmod, chown, lstat, mkdir, open, readdir, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress, createZstdDecompress } from 'node:zlib'
import { readTar, tarEnd, tarHeader, tarPadding, type TarHeader, type TarSink } from '#server/platform/tar.ts'
import { assertSafePath } from './core/zip.ts'

/** The folder below a site's own in which an archive is unpacked, until it is complete. */
export const restoredName = 'restored.new'
/** Files up to this size are read and written in one piece (bytes). */
export const wholeBytes = 4 * 1024 * 1024
const parallelWrites = 8

/**
 * Packs folders below `root` into one zstd-compressed tar file. Links are left out and never followed.
 * The file appears under its name only when it is complete and on the disk.
 * @returns number of files
 */
export async function packFolders(
  root: string,
  folders: readonly string[],
  target: string,
  signal: AbortSignal,
  onFile: () => void,
): Promise<number> {
  const temporary = `${target}.new`
  let count = 0
  const tar = tarOf(root, folders, () => {
    count += 1
    onFile()
  })
  await pipeline(
    Readable.from(tar, { objectMode: false }),
    createZstdCompress(),
    createWriteStream(temporary, { mode: 0o600 }),
    { signal },
  )
  const file = await open(temporary, 'r+')
  await file.sync()
  await file.close()
  await rename(temporary, target)
  return count
}

async function* tarOf(root: string, folders: readonly string[], onFile: () => void): AsyncGenerator<Buffer> {
  const pending = [...folders]
  for (let folder = pending.shift(); folder !== undefined; folder = pending.shift()) {
    // Of the folders that were asked for some may not be there; below them nothing may be left out.
    const facts = await lstat(join(root, folder)).catch((error: NodeJS.ErrnoException) => {
      if (folders.includes(folder)) return ignoreMissing(error)
      throw error
    })
    if (facts === null || !facts.isDirectory()) continue
    yield tarHeader({
      name: `${folder}/`,
      type: 'directory',
      size: 0,
      mode: facts.mode & 0o777,
      mtime: facts.mtimeMs / 1000,
    })
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
    yield tarHeader({
      name: path,
      type: 'file',
      size: facts.size,
      mode: facts.mode & 0o777,
      mtime: facts.mtimeMs / 1000,
    })
    if (facts.size > 0) {
      let size = 0
      // One read for a usual file: a stream for each of 2,900 small files takes three times as long.
      const chunks =
        facts.size <= wholeBytes
          ? [await file.readFile()]
          : (file.createReadStream({ start: 0, end: facts.size - 1, autoClose: false }) as AsyncIterable<Buffer>)
      for await (const chunk of chunks) {
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
export async function unpackFolders(
  archive: string,
  into: string,
  owner: number | null,
  signal: AbortSignal,
  onFile: () => void,
): Promise<void> {
  await mkdir(into, { recursive: true })
  const writes = createWriteQueue()
  /** Folders that not even their owner may write into, with their modes: their content comes first. */
  const closed: [path: string, mode: number][] = []
  const source = createReadStream(archive, { signal })
  const plain = createZstdDecompress()
  source.once('error', (error) => plain.destroy(error))
  try {
    await readTar(source.pipe(plain), async (header) => {
      signal.throwIfAborted()
      assertSafePath(header.name)
      const path = join(into, header.name)
      if (header.type === 'directory') {
        await mkdir(path, { recursive: true, mode: header.mode | 0o700 })
        if ((header.mode & 0o700) !== 0o700) closed.push([path, header.mode])
        if (owner !== null) await chown(path, owner, owner)
        return null
      }
      if (header.type !== 'file') return null
      await mkdir(dirname(path), { recursive: true })
      return header.size <= wholeBytes
        ? smallFile(path, header, owner, writes, onFile)
        : largeFile(path, header, owner, onFile)
    })
  } finally {
    // Also after a failure: a straggler must not write into a folder being removed.
    await writes.drained()
  }
  writes.throwIfFailed()
  for (const [path, mode] of closed.toReversed()) await chmod(path, mode)
}

/** Collects a small file and writes it while the next ones are read. */
function smallFile(
  path: string,
  header: TarHeader,
  owner: number | null,
  writes: WriteQueue,
  onFile: () => void,
): TarSink {
  const chunks: Buffer[] = []
  return {
    write: (chunk) => {
      chunks.push(Buffer.from(chunk))
    },
    end: () =>
      writes.add(async () => {
        await writeFile(path, Buffer.concat(chunks), { flag: 'wx', mode: header.mode })
        await finish(path, header, owner)
        onFile()
      }),
  }
}

async function largeFile(path: string, header: TarHeader, owner: number | null, onFile: () => void): Promise<TarSink> {
  const file = await open(path, 'wx', header.mode)
  return {
    write: async (chunk) => {
      await file.writeFile(chunk)
    },
    end: async () => {
      await file.close()
      await finish(path, header, owner)
      onFile()
    },
  }
}

async function finish(path: string, header: TarHeader, owner: number | null): Promise<void> {
  if (owner !== null) await chown(path, owner, owner)
  await utimes(path, header.mtime, header.mtime)
}

/** A few writes at once; `add` waits while too many are under way. */
interface WriteQueue {
  add(write: () => Promise<void>): Promise<void>
  drained(): Promise<void>
  throwIfFailed(): void
}

function createWriteQueue(): WriteQueue {
  const running = new Set<Promise<void>>()
  let failure: Error | null = null
  const throwIfFailed = (): void => {
    if (failure !== null) throw failure
  }
  return {
    add: async (write) => {
      throwIfFailed()
      const work = write()
        .catch((error: unknown) => {
          failure ??= error instanceof Error ? error : new Error(String(error))
        })
        .finally(() => running.delete(work))
      running.add(work)
      if (running.size >= parallelWrites) await Promise.race(running)
    },
    drained: async () => {
      await Promise.all(running)
    },
    throwIfFailed,
  }
}

/** Removes what an interrupted packing left beside the target. */
export async function removeUnfinishedArchive(target: string): Promise<void> {
  await rm(`${target}.new`, { force: true })
}

function ignoreMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}
