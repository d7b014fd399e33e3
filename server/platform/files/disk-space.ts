import { statfs } from 'node:fs/promises'
import { Transform } from 'node:stream'
import { systemErrorCode } from '../processes/startup-error.ts'

/** Free disk space that work which writes much leaves for everything else (bytes). */
export const minFreeBytes: number = 512 * 1024 * 1024

/** Space of the disk that holds a path, in bytes: what this program may still use of it, and all of it. */
export async function diskSpace(path: string): Promise<{ free: number; total: number }> {
  const { bavail, blocks, bsize } = await statfs(path)
  return { free: bavail * bsize, total: blocks * bsize }
}

/** Whether the disk that holds a path has no room for so many more bytes: with too little left, sites can't write any more. */
export async function isDiskFull(path: string, bytes = 0): Promise<boolean> {
  return (await diskSpace(path)).free - bytes < minFreeBytes
}

/** Whether a system error is that of a disk without room, or of a user who gets no more of it. */
export const isOfFullDisk = (error: unknown): boolean => ['ENOSPC', 'EDQUOT'].includes(systemErrorCode(error))

/** How often the disk is looked at (bytes). */
const lookEvery = 64 * 1_048_576

/** Passes content on as long as the disk of a folder has room for it and everything else. */
export function roomOn(folder: string, noRoom: () => Error): Transform {
  let [size, lookAt] = [0, 0]
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length
      if (size < lookAt) return done(null, chunk)
      lookAt = size + lookEvery
      diskSpace(folder).then(
        ({ free }) => (free - lookEvery < minFreeBytes ? done(noRoom()) : done(null, chunk)),
        (error: unknown) =>
          done(error instanceof Error ? error : new Error('The disk cannot be read.', { cause: error })),
      )
    },
  })
}
