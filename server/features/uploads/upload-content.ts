import { constants, open } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/**
 * Writes bytes at `offset`, flushed to disk, and returns where they end. What was written stays if the stream fails, so that
 * the client goes on from there. The first part creates the file: a crash between the database and the disk leaves nothing
 * to repair.
 */
export async function writeAt(path: string, offset: number, content: Readable): Promise<number> {
  const file = await open(path, constants.O_WRONLY | constants.O_CREAT, 0o600)
  const end = file.createWriteStream({ start: offset, flush: true })
  await pipeline(content, end)
  return offset + end.bytesWritten
}
