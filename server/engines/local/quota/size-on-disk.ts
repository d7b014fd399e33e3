import { lstatSync, readdirSync, type Stats } from 'node:fs'
import { join } from 'node:path'

/** Files occupy whole blocks, of this size on most disks (bytes). */
const block = 4096

/** Disk usage of a file of this length, so that many small files count with the space they occupy. */
export const fileBytes = (length: number): number => Math.ceil(length / block) * block

/** Disk usage of a folder with few entries. */
export const folderBytes: number = block

/**
 * Disk usage of an existing file or folder. Never less than was counted when it was written, because removing it releases
 * that much.
 */
export function bytesOnDisk(stats: Pick<Stats, 'size' | 'blocks' | 'isDirectory'>): number {
  // These blocks are always 512 bytes, whatever the file system's block size (stat(2)).
  return Math.max(stats.isDirectory() ? folderBytes : 0, fileBytes(stats.size), stats.blocks * 512)
}

/** Size of the files directly in a folder, for areas without subfolders (error log, captured mail). */
export function filesInFolderBytes(folder: string): number {
  let bytes = 0
  for (const name of readdirSync(folder)) {
    const stats = lstatSync(join(folder, name), { throwIfNoEntry: false })
    if (stats !== undefined) bytes += bytesOnDisk(stats)
  }
  return bytes
}
