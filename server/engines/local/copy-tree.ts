import { constants } from 'node:fs'
import { chown, copyFile, lchown, lstat, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** How many files are copied at once: more than the thread pool has threads gains nothing. */
const parallel = 8

/**
 * Copies a folder of plain files (links are left out), sharing blocks where the file system can.
 * @param owner user and group of the copies; null: whoever runs this
 * @param progress gets the number of files copied so far
 */
export async function copyTree(
  from: string,
  to: string,
  owner: number | null,
  signal: AbortSignal,
  progress: (files: number) => void,
): Promise<number> {
  const files: string[] = []
  const pending = ['']
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    await mkdir(join(to, folder), { recursive: true })
    if (owner !== null) await chown(join(to, folder), owner, owner)
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
      if (owner !== null) await chown(join(to, path), owner, owner)
      copied += 1
      if (copied % 100 === 0) progress(copied)
    }
  }
  // All of them end before an error goes on: a straggler must not write into a folder being removed.
  const results = await Promise.allSettled(Array.from({ length: parallel }, worker))
  for (const result of results) if (result.status === 'rejected') throw result.reason
  return copied
}

/** Bytes of all files below a folder (links not followed), as far as paths reach; 0 when it does not exist. */
export async function treeSize(folder: string): Promise<number> {
  let total = 0
  const pending = [folder]
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    const entries = await readdir(path, { withFileTypes: true }).catch(ignoreUnreachable)
    const files: string[] = []
    for (const entry of entries ?? []) {
      if (entry.isDirectory()) pending.push(join(path, entry.name))
      else files.push(join(path, entry.name))
    }
    const facts = await Promise.all(files.map((file) => lstat(file).catch(ignoreUnreachable)))
    for (const fact of facts) total += fact?.size ?? 0
  }
  return total
}

function ignoreUnreachable(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR' || error.code === 'ENAMETOOLONG') return null
  throw error
}

/** Gives a folder and everything in it to a user and the group of the same number; links themselves, not what they point to. */
export async function chownTree(folder: string, owner: number): Promise<void> {
  await lchown(folder, owner, owner)
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    await lchown(join(entry.parentPath, entry.name), owner, owner)
  }
}
