import { randomBytes } from 'node:crypto'
import { chmod, readdir, rename, rm, rmdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'

/** What a site can do to its folders so that they resist: nesting beyond the longest path, taking away all rights. */
const resisting = new Set(['ENAMETOOLONG', 'EACCES', 'EPERM'])

/** Removes a folder with everything in it, however a site left it; nothing happens when it does not exist. */
export async function removeTree(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  } catch (error) {
    if (!resisting.has((error as NodeJS.ErrnoException).code ?? '')) throw error
    await removeFlat(folder)
  }
}

/** Every folder is moved to the top before it is looked into, so that no path gets longer than two names. */
async function removeFlat(root: string): Promise<void> {
  const prefix = join(root, `.${randomBytes(6).toString('hex')}-`)
  const pending = [root]
  let moved = 0
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    await chmod(folder, 0o700)
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name)
      if (!entry.isDirectory()) {
        await unlink(path)
        continue
      }
      const flat = `${prefix}${moved}`
      moved += 1
      // Moving a folder rewrites its link to the one above: that needs the right to write in it.
      await chmod(path, 0o700)
      await rename(path, flat)
      pending.push(flat)
    }
    if (folder !== root) await rmdir(folder)
  }
  await rmdir(root)
}
