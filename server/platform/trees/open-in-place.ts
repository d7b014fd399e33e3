import { closeSync, constants, fstatSync, openSync, readlinkSync, type Stats } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { systemErrorCode } from '../processes/startup-error.ts'
import { ForeignFileError, isLinux, isReadableBy, inspectFlags } from './folder.ts'

/** Removed meanwhile, a link, or (on systems without /proc handles) a socket. */
const nothing = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'EMLINK'])

/**
 * Opens a regular file for reading if it is exactly at this path: no link was followed, not even one created just now, and
 * nothing but a file was touched. Null otherwise.
 * @param path absolute and without links up to the folder of the site
 * @param user user of the site; null if everything belongs to one user
 * @throws ForeignFileError for files that user could not read; other system errors
 */
export async function openInPlace(path: string, user: number | null): Promise<FileHandle | null> {
  let looked: number
  try {
    looked = openSync(path, inspectFlags)
  } catch (error) {
    if (nothing.has(systemErrorCode(error))) return null
    throw error
  }
  try {
    const stats = fstatSync(looked)
    if (!stats.isFile()) return null
    // Linux reports what was opened, whatever the path points to now; on other systems opening follows no link at all.
    if (isLinux && readlinkSync(`/proc/self/fd/${looked}`) !== path) return null
    if (!isReadableBy(stats, user)) throw new ForeignFileError(path)
    return await reopen(isLinux ? `/proc/self/fd/${looked}` : path, stats)
  } finally {
    closeSync(looked)
  }
}

async function reopen(path: string, { dev, ino }: Stats): Promise<FileHandle | null> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | (isLinux ? 0 : inspectFlags))
  const stats = await file.stat()
  if (stats.dev === dev && stats.ino === ino) return file
  await file.close()
  return null
}
