import { closeSync, constants, fstatSync, openSync, readlinkSync, type Stats } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { systemErrorCode } from '../processes/startup-error.ts'
import { ForeignFileError, isLinux, isReadableBy, lookFlags } from './folder.ts'

/** Gone meanwhile, a link, or (where handles are no paths) a socket. */
const nothing = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'EMLINK'])

/**
 * Opens a regular file for reading, if it lies exactly where the path says: no link on the way was followed, not even one
 * that was put there in this moment, and nothing but a file was touched. Null otherwise.
 * @param path absolute and without links up to the folder of the site
 * @param user user of the site; null: everything is one user's
 * @throws ForeignFileError for what that user could not read itself; other errors of the system
 */
export async function openInPlace(path: string, user: number | null): Promise<FileHandle | null> {
  let looked: number
  try {
    looked = openSync(path, lookFlags)
  } catch (error) {
    if (nothing.has(systemErrorCode(error))) return null
    throw error
  }
  try {
    const facts = fstatSync(looked)
    if (!facts.isFile()) return null
    // Linux says what was opened, whatever the path leads to by now; elsewhere opening followed no link at all.
    if (isLinux && readlinkSync(`/proc/self/fd/${looked}`) !== path) return null
    if (!isReadableBy(facts, user)) throw new ForeignFileError(path)
    return await reopen(isLinux ? `/proc/self/fd/${looked}` : path, facts)
  } finally {
    closeSync(looked)
  }
}

async function reopen(path: string, { dev, ino }: Stats): Promise<FileHandle | null> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | (isLinux ? 0 : lookFlags))
  const facts = await file.stat()
  if (facts.dev === dev && facts.ino === ino) return file
  await file.close()
  return null
}
