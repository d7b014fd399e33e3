import { constants } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { systemErrorCode } from '../processes/startup-error.ts'

/** A small file with its owner and permissions. */
export interface PrivateFile {
  readonly text: string
  readonly uid: number
  /** Permission bits. */
  readonly mode: number
}

/** Not a regular file, or too large. */
export class NoPlainFileError extends Error {
  override readonly name = 'NoPlainFileError'
}

/**
 * Reads a file through one handle: links are not followed (`ELOOP`), pipes don't block, and the permissions belong to the
 * content that was read. Null if the file does not exist.
 */
export async function readPrivateFile(path: string, maxBytes = 65_536): Promise<PrivateFile | null> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const file = await open(path, flags).catch((error: unknown) => {
    if (systemErrorCode(error) === 'ENOENT') return null
    throw error
  })
  if (file === null) return null
  try {
    return await readSmallFile(file, path, maxBytes)
  } finally {
    await file.close()
  }
}

/** Reads an open file of at most `maxBytes`. `path` is for the message of a NoPlainFileError. */
export async function readSmallFile(file: FileHandle, path: string, maxBytes = 65_536): Promise<PrivateFile> {
  const { uid, mode, size } = await file.stat().then((found) => {
    if (!found.isFile() || found.size > maxBytes) throw new NoPlainFileError(`${path} is not a plain file.`)
    return found
  })
  const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, 0)
  return { text: buffer.toString('utf8', 0, bytesRead), uid, mode: mode & 0o7777 }
}
