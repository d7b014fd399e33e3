import { statfs } from 'node:fs/promises'

/** Free disk space that work which writes much leaves for everything else (bytes). */
export const minFreeBytes: number = 512 * 1024 * 1024

/** Space of the disk that holds a path, in bytes: what this program may still use of it, and all of it. */
export async function diskSpace(path: string): Promise<{ free: number; total: number }> {
  const { bavail, blocks, bsize } = await statfs(path)
  return { free: bavail * bsize, total: blocks * bsize }
}
