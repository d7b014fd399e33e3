import type { Stats } from 'node:fs'

/** Files take whole blocks; on most disks they have this size (bytes). */
const block = 4096

/** What a file of a length takes, so that many small files count for what they take and not for what is in them. */
export const fileBytes = (length: number): number => Math.ceil(length / block) * block

/** What a folder takes as long as it has few entries. */
export const folderBytes: number = block

/**
 * What something that was found takes of a quota. Never less than was counted when it was written: removing it gives that
 * much back.
 */
export function bytesOnDisk(facts: Pick<Stats, 'size' | 'blocks' | 'isDirectory'>): number {
  // Blocks are of 512 bytes here, whatever the file system's own are (stat(2)).
  return Math.max(facts.isDirectory() ? folderBytes : 0, fileBytes(facts.size), facts.blocks * 512)
}
