import { createHash, randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { copyFile, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { ByteRange } from '#server/contracts/files.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { listNames, filesOlderThan } from '#server/platform/files/list-folder.ts'
import { contentType, sniffedBytes, type ContentType } from './content-type.ts'

/** Uploaded content that is not kept yet. */
export interface ReceivedContent {
  /** Bytes. */
  readonly size: number
  /** SHA-256 in hex. */
  readonly hash: string
  readonly type: ContentType
  /** Keeps it under a random name and returns the name. */
  keep(): Promise<string>
  /** Deletes it unless it was kept. Can be called more than once. */
  discard(): Promise<void>
}

/** File contents in the data folder, independent of documents. */
export interface FileStorage {
  /** Writes a stream to disk. Throws `too_large` above `limit` bytes, after reading the stream to its end. */
  receive(content: AsyncIterable<Buffer>, limit: number): Promise<ReceivedContent>
  /** Copies it under a new name. */
  copy(storedName: string): Promise<string>
  /** Opens stored content; throws `not_found` if it is missing on disk. */
  read(storedName: string): Promise<{ size: number; open(range?: ByteRange): Readable }>
  remove(storedName: string): Promise<void>
  /**
   * Removes unreferenced contents older than an hour, and leftovers of uploads. `known` gets stored names and returns those
   * that documents use. Returns how many were removed.
   */
  sweep(known: (storedNames: readonly string[]) => Promise<ReadonlySet<string>>): Promise<number>
}

/** Format of a stored name; anything else never reaches the file system. */
export const storedNamePattern = /^[0-9a-f]{40}\.[a-z0-9]{2,5}$/

const orphanAgeMs = 3_600_000

/** Creates the storage in a folder, which is created with the first file. */
export function createStorage(folder: string, now: () => number = Date.now): FileStorage {
  const incoming = join(folder, 'incoming')
  const pathOf = (storedName: string): string => {
    if (!storedNamePattern.test(storedName)) throw new AppError('not_found', msg`The file does not exist.`)
    return join(folder, storedName.slice(0, 2), storedName)
  }
  const newPath = async (ending: string): Promise<{ name: string; path: string }> => {
    const name = `${randomBytes(20).toString('hex')}.${ending}`
    await mkdir(join(folder, name.slice(0, 2)), { recursive: true, mode: 0o700 })
    return { name, path: pathOf(name) }
  }

  return {
    async receive(content, limit) {
      await mkdir(incoming, { recursive: true, mode: 0o700 })
      const temporary = join(incoming, randomBytes(20).toString('hex'))
      const discard = () => rm(temporary, { force: true })
      try {
        const { size, hash, head } = await write(temporary, content, limit)
        if (size > limit)
          throw new AppError('too_large', msg`The file is larger than ${Math.floor(limit / 2 ** 20)} MB.`, {
            field: 'file',
            nextAction: msg`Choose a smaller file.`,
          })
        const type = contentType(head)
        return {
          size,
          hash,
          type,
          discard,
          async keep() {
            const { name, path } = await newPath(type.ending)
            await rename(temporary, path)
            return name
          },
        }
      } catch (error) {
        await discard()
        throw error
      }
    },

    async copy(storedName) {
      const { name, path } = await newPath(storedName.slice(storedName.indexOf('.') + 1))
      try {
        await copyFile(pathOf(storedName), path)
      } catch (error) {
        await rm(path, { force: true })
        throw translateError(error)
      }
      return name
    },

    async read(storedName) {
      const path = pathOf(storedName)
      const found = await stat(path).catch((error: unknown) => {
        throw translateError(error)
      })
      return { size: found.size, open: (range) => createReadStream(path, range) }
    },

    remove: (storedName) => rm(pathOf(storedName), { force: true }),

    async sweep(known) {
      let removed = 0
      for (const folderName of await listNames(folder)) {
        const inFolder = join(folder, folderName)
        const old = await filesOlderThan(inFolder, now() - orphanAgeMs)
        const kept = folderName === 'incoming' || old.length === 0 ? new Set<string>() : await known(old)
        for (const name of old.filter((one) => !kept.has(one))) {
          await rm(join(inFolder, name), { force: true })
          removed += 1
        }
      }
      return removed
    },
  }
}

/** Writes a stream, flushed to disk. Above the limit nothing more is written, but the stream is read to its end. */
async function write(
  path: string,
  content: AsyncIterable<Buffer>,
  limit: number,
): Promise<{ size: number; hash: string; head: Buffer }> {
  const file = await open(path, 'wx', 0o600)
  try {
    const hash = createHash('sha256')
    let head = Buffer.alloc(0)
    let size = 0
    for await (const chunk of content) {
      size += chunk.length
      if (size > limit) continue
      if (head.length < sniffedBytes) head = Buffer.concat([head, chunk.subarray(0, sniffedBytes - head.length)])
      hash.update(chunk)
      await file.writeFile(chunk)
    }
    await file.sync()
    return { size, hash: hash.digest('hex'), head }
  } finally {
    await file.close()
  }
}

function translateError(error: unknown): unknown {
  const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
  return isMissing ? new AppError('not_found', msg`The file does not exist.`, { cause: error }) : error
}
