import { constants } from 'node:fs'
import { copyFile, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Number of concurrent copies: more than the thread pool's size gains nothing. */
const parallel = 8

/**
 * Copies a folder of ours with regular files (links are skipped), sharing blocks if the file system supports it.
 * @param progress called with the number of files copied so far
 */
export async function copyTree(
  from: string,
  to: string,
  signal: AbortSignal,
  progress: (files: number) => void,
): Promise<number> {
  const files: string[] = []
  const pending = ['']
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    await mkdir(join(to, folder), { recursive: true })
    for (const entry of await readdir(join(from, folder), { withFileTypes: true })) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) pending.push(path)
      else if (entry.isFile()) files.push(path)
    }
    signal.throwIfAborted()
  }
  let copied = 0
  const queue = files.values()
  const worker = async (): Promise<void> => {
    for (const path of queue) {
      signal.throwIfAborted()
      await copyFile(join(from, path), join(to, path), constants.COPYFILE_FICLONE)
      copied += 1
      if (copied % 100 === 0) progress(copied)
    }
  }
  // All workers must end before an error is rethrown: a late one must not write into a folder that is being removed.
  const results = await Promise.allSettled(Array.from({ length: parallel }, worker))
  for (const result of results) if (result.status === 'rejected') throw result.reason
  return copied
}
