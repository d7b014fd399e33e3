import { constants, open, stat, statfs } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { systemErrorCode } from '#server/platform/processes/startup-error.ts'

/** Bytes stored so far; 0 if the file does not exist. */
export async function storedBytes(path: string): Promise<number> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return 0
    throw error
  }
}

/**
 * Writes bytes at `offset`, flushed to disk, and returns where they end. What was written stays if the stream fails, so that
 * the client goes on from there.
 */
export async function writeAt(path: string, offset: number, content: Readable): Promise<number> {
  // Created by the first part: a crash between the database and the disk leaves nothing to mend.
  const file = await open(path, constants.O_WRONLY | constants.O_CREAT, 0o600)
  try {
    let end = offset
    for await (const chunk of content as AsyncIterable<Buffer>) {
      await file.writev([chunk], end)
      end += chunk.length
    }
    await file.datasync()
    return end
  } finally {
    await file.close()
  }
}

/** Bytes on the disk of a folder that this program may use. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}
