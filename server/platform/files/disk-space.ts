import { statfs } from 'node:fs/promises'

/** Space of the disk that holds a path, in bytes: what this program may still use of it, and all of it. */
export async function diskSpace(path: string): Promise<{ free: number; total: number }> {
  const { bavail, blocks, bsize } = await statfs(path)
  return { free: bavail * bsize, total: blocks * bsize }
}
