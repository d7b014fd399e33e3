import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import {
  isIncrementHeader,
  mostArchives,
  putTogether,
  readIncrement,
  UnreadableIncrement,
} from '#server/features/sites/backups/increments/increment-archive.ts'
import { tarMembers } from '#server/platform/files/tar.ts'
import { AppError } from '#shared/errors.ts'
import { parseJson } from '#shared/parse-json.ts'

/** Bytes that are read of an archive. */
export interface Packed {
  bytes: number
}

/** An archive that a backup needs. */
export interface NeededArchive {
  /** Where it lies: no other one lies there. */
  readonly place: string
  /** Its content, unpacked. Counts what is read of it. */
  unpacked(packed: Packed): Promise<AsyncIterable<Buffer>>
}

/** Archives in clear in a folder of ours, while backups are read that need the same ones. */
export interface KeptArchives {
  /** A path for a file that is not there yet. */
  newPath(): Promise<string>
  /** Paths of archives, by name. Throws `UnreadableIncrement` for one that is damaged. */
  pathsOf(archives: ReadonlyMap<string, NeededArchive>, packed: Packed): Promise<Map<string, string>>
  remove(): Promise<void>
}

/** Keeps archives until they are removed, at most as many as a backup needs. */
export function keepArchives(): KeptArchives {
  const kept = new Map<string, Packed & { readonly path: string }>()
  let [folder, files]: [string | null, number] = [null, 0]
  const newPath = async (): Promise<string> => {
    folder ??= await mkdtemp(join(tmpdir(), 'easydash-backup-'))
    files += 1
    return join(folder, `${files}`)
  }
  const unpack = async (name: string, { place, unpacked }: NeededArchive) => {
    const archive = { path: await newPath(), bytes: 0 }
    try {
      await pipeline(await unpacked(archive), createWriteStream(archive.path, { mode: 0o600 }))
    } catch (error) {
      await rm(archive.path, { force: true })
      if (error instanceof AppError || (error instanceof Error && 'syscall' in error)) throw error
      throw new UnreadableIncrement(`It needs the backup ${name}, which is damaged: ${String(error).slice(0, 200)}`)
    }
    kept.set(place, archive)
    return archive
  }
  return {
    newPath,
    async pathsOf(archives, packed) {
      const places = new Set(Array.from(archives.values(), ({ place }) => place))
      const isFull = places.union(kept).size > mostArchives
      for (const [place, { path }] of kept)
        if (isFull && !places.has(place)) {
          kept.delete(place)
          await rm(path)
        }
      const paths = new Map<string, string>()
      for (const [name, archive] of archives) {
        const { path, bytes } = kept.get(archive.place) ?? (await unpack(name, archive))
        packed.bytes += bytes
        paths.set(name, path)
      }
      return paths
    },
    async remove() {
      if (folder !== null) await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The first backup that an archive needs, by its first bytes unpacked; null if it is whole, or no archive. */
export async function firstNeeded(unpacked: AsyncIterable<Buffer>): Promise<string | null> {
  for await (const { header, content } of tarMembers(unpacked)) {
    if (!isIncrementHeader(Buffer.from(`${header.name}\0`)) || header.size > 65_536) break
    const about = parseJson(await text(Readable.from(content)))
    const needs: unknown = typeof about === 'object' && about !== null ? Reflect.get(about, 'needs') : null
    return Array.isArray(needs) && typeof needs[0] === 'string' ? needs[0] : null
  }
  return null
}

/**
 * The unpacked archive of a whole backup. Of one that contains only what was new, it is put together from the archives that it needs.
 * Throws `UnreadableIncrement` if that is not possible.
 * @param unpacked what is stored of it
 * @param find an archive that it needs; null: it is not there
 * @param packed counts what is read of others
 */
export async function* wholeArchive(
  unpacked: AsyncIterable<Buffer>,
  kept: KeptArchives,
  find: (name: string) => Promise<NeededArchive | null>,
  packed: Packed,
): AsyncGenerator<Buffer, void, undefined> {
  const chunks = unpacked[Symbol.asyncIterator]()
  const first = await chunks.next()
  if (first.done === true) return
  const all = async function* (): AsyncGenerator<Buffer, void, undefined> {
    yield first.value
    yield* { [Symbol.asyncIterator]: () => chunks }
  }
  if (!isIncrementHeader(first.value)) {
    yield* all()
    return
  }
  const own = await kept.newPath()
  try {
    await pipeline(all(), createWriteStream(own, { mode: 0o600 }))
    const increment = await readIncrement(own)
    if (!increment) throw new UnreadableIncrement('It is damaged.')
    const archives = new Map<string, NeededArchive>()
    for (const name of increment.about.needs) {
      const found = await find(name)
      if (found === null)
        throw new UnreadableIncrement(
          `It needs the backup ${name}, which is neither in its folder nor in those beside that.`,
        )
      archives.set(name, found)
    }
    const paths = await kept.pathsOf(archives, packed)
    yield* putTogether(increment, paths.set(increment.about.backup, own))
  } finally {
    await rm(own, { force: true })
  }
}
