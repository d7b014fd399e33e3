import { closeSync, ftruncateSync, read } from 'node:fs'
import { promisify } from 'node:util'
import { openBelow, openFolder, type Folder, type OpenFile } from '#server/platform/trees/folder.ts'
import { systemErrorCode } from '#server/platform/processes/startup-error.ts'
import type { LogSegment } from '#server/platform/text-log/read-log.ts'
import type { SitePaths } from '../sites/site-store.ts'

/** A log that the site itself writes, so it can be anything: a link, a device, somebody else's file. */
export type OwnLog = 'php' | 'debug'

const readAt = promisify(read)

/**
 * Opens a log if it is a file that belongs to the site; null otherwise. Links and special files are never opened.
 * @param owner user of the site; null: everything belongs to one user
 */
export function openOwnLog(paths: SitePaths, owner: number | null, log: OwnLog, flags: 'r' | 'r+'): OpenFile | null {
  const folder = log === 'php' ? openIfThere(paths.logs) : openContent(paths.www)
  if (folder === null) return null
  try {
    const file = openIfAllowed(folder, log === 'php' ? 'php-errors.log' : 'debug.log', flags)
    if (file === null) return null
    if (file.stats.uid === (owner ?? process.getuid?.())) return file
    closeSync(file.fd)
    return null
  } finally {
    folder.close()
  }
}

/** Empties a log above a size; it is not removed, because a running PHP could not create it again. */
export function emptyOwnLog(paths: SitePaths, owner: number | null, log: OwnLog, maxBytes = 0): void {
  const file = openOwnLog(paths, owner, log, 'r+')
  if (file === null) return
  try {
    if (file.stats.size > maxBytes) ftruncateSync(file.fd, 0)
  } finally {
    closeSync(file.fd)
  }
}

/** An open log as a segment. The caller closes the file. */
export function ownLogSegment({ fd, stats }: OpenFile): LogSegment {
  return {
    file: `${stats.dev.toString(36)}-${stats.ino.toString(36)}`,
    size: stats.size,
    read: async (offset, length) => {
      if (length <= 0) return Buffer.alloc(0)
      // In the thread pool: a slow disk must not hold the dashboard.
      const { buffer, bytesRead } = await readAt(fd, Buffer.allocUnsafe(length), 0, length, offset)
      return buffer.subarray(0, bytesRead)
    },
  }
}

function openContent(www: string): Folder | null {
  const root = openIfThere(www)
  try {
    return root === null ? null : openBelow(root, ['wp-content'])
  } finally {
    root?.close()
  }
}

/** A site may remove the permissions on its own log. */
function openIfAllowed(folder: Folder, name: string, flags: 'r' | 'r+'): OpenFile | null {
  try {
    return folder.openFile(Buffer.from(name), flags)
  } catch (error) {
    if (['EACCES', 'EPERM'].includes(systemErrorCode(error))) return null
    throw error
  }
}

function openIfThere(path: string): Folder | null {
  try {
    return openFolder(path)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemErrorCode(error))) return null
    throw error
  }
}
