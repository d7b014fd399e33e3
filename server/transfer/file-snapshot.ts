import type { BigIntStats } from 'node:fs'
import { createWriteStream } from 'node:fs'
import { open, stat, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { StartupError, systemErrorCode } from '#server/platform/processes/startup-error.ts'
import { openInPlace } from '#server/platform/trees/open-in-place.ts'

/** Files up to this size are read at once. */
const wholeBytes = 4 * 1024 * 1024
/** How often a database that is being written is retried, and the wait between tries. */
const maxTries = 100
const waitMs = 50
/** File systems use a coarse clock for timestamps: a change this recent may hide another one. */
const coarseMs = 30

/** A file as it was at one point in time, open until `close`. */
export interface FileSnapshot {
  readonly size: number
  readonly mode: number
  /** Seconds since 1970. */
  readonly mtime: number
  chunks(): AsyncIterable<Buffer>
  close(): Promise<void>
}

/** Options for reading. */
export interface FileSnapshotOptions {
  /** Folder for copies of databases too large for memory. */
  readonly spool: string
  /** User id of the site: files that this user can't read are not read either. Null: everything belongs to one user. */
  readonly owner: number | null
  readonly signal: AbortSignal
}

/**
 * Opens a file that another process may be writing. A SQLite database is returned only as it is between two transactions:
 * without a journal next to it and unchanged from the first byte to the last. Null if it is not (or no longer) a regular
 * file, or if its path contains a link.
 */
export async function openFileSnapshot(path: string, options: FileSnapshotOptions): Promise<FileSnapshot | null> {
  for (let tries = 1; ; tries += 1) {
    options.signal.throwIfAborted()
    const file = await openInPlace(path, options.owner)
    if (file === null) return null
    try {
      const before = await file.stat({ bigint: true })
      const found = await read(path, file, before, options)
      if (found !== null) return found
    } catch (error) {
      await file.close()
      throw error
    }
    await file.close()
    if (tries === maxTries)
      throw new StartupError(
        `The database ${path} is being written all the time.`,
        'Try again at a quieter time. If its site does nothing, open the site once: that ends what was cut off.',
      )
    await sleep(waitMs, undefined, { signal: options.signal })
  }
}

/** Null if the database is in the middle of a change. */
async function read(
  path: string,
  file: FileHandle,
  before: BigIntStats,
  { spool }: FileSnapshotOptions,
): Promise<FileSnapshot | null> {
  const size = Number(before.size)
  const attributes = { mode: Number(before.mode & 0o777n), mtime: Number(before.mtimeNs / 1_000_000n) / 1000 }
  const isDatabase = await isSqlite(file)
  if (isDatabase && ((await hasJournal(path)) || Date.now() - Number(before.mtimeMs) < coarseMs)) return null
  if (size <= wholeBytes) {
    const content = await readUpTo(file, size)
    if (isDatabase && !(await isUnchanged(path, file, before))) return null
    return {
      ...attributes,
      size: content.length,
      chunks: async function* () {
        yield content
      },
      close: () => file.close(),
    }
  }
  if (!isDatabase) return { ...attributes, size, chunks: () => exactly(file, size, path), close: () => file.close() }
  const copy = join(spool, 'database')
  await pipeline(exactly(file, size, path), createWriteStream(copy, { mode: 0o600 }))
  if (!(await isUnchanged(path, file, before))) return null
  const kept = await open(copy, 'r')
  return {
    ...attributes,
    size,
    chunks: () => exactly(kept, size, path),
    close: async () => {
      await kept.close()
      await file.close()
    },
  }
}

async function isSqlite(file: FileHandle): Promise<boolean> {
  const head = Buffer.alloc(16)
  const { bytesRead } = await file.read(head, 0, head.length, 0)
  return bytesRead === head.length && head.toString('latin1') === 'SQLite format 3\0'
}

async function hasJournal(path: string): Promise<boolean> {
  try {
    return (await stat(`${path}-journal`)).size > 0
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return false
    throw error
  }
}

async function isUnchanged(path: string, file: FileHandle, before: BigIntStats): Promise<boolean> {
  if (await hasJournal(path)) return false
  const after = await file.stat({ bigint: true })
  return after.mtimeNs === before.mtimeNs && after.ctimeNs === before.ctimeNs && after.size === before.size
}

/** At most `size` bytes: data appended meanwhile is ignored. */
async function readUpTo(file: FileHandle, size: number): Promise<Buffer> {
  const content = Buffer.alloc(size)
  let at = 0
  while (at < size) {
    const { bytesRead } = await file.read(content, at, size - at, at)
    if (bytesRead === 0) break
    at += bytesRead
  }
  return content.subarray(0, at)
}

/** Exactly `size` bytes in chunks. Throws if the file was truncated meanwhile. */
async function* exactly(file: FileHandle, size: number, path: string): AsyncGenerator<Buffer> {
  for (let at = 0; at < size;) {
    const piece = Buffer.alloc(Math.min(1024 * 1024, size - at))
    const { bytesRead } = await file.read(piece, 0, piece.length, at)
    if (bytesRead === 0) throw new StartupError(`The file ${path} was cut while it was read.`, 'Run the export again.')
    at += bytesRead
    yield piece.subarray(0, bytesRead)
  }
}
