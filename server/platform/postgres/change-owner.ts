import { constants } from 'node:fs'
import { chown, lchown, lstat, open, readdir, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { StartupError } from '../processes/startup-error.ts'
import type { RunAs } from './run-as.ts'

/** A file in the tree that no server created. */
const foreign = (name: string) =>
  new StartupError(
    `The file ${name} in the database is another user's, or has a second name.`,
    'If it belongs there, give it to the owner of the folder around it; else remove it. Then start again.',
  )

type Owner = Pick<RunAs, 'uid' | 'gid'>

/**
 * Changes the owner of a stopped cluster, as root. Each file is reached through its folder's handle and changed through its
 * own, so that a process of the former owner that still uses the tree can't redirect us; files with a second hard link are
 * rejected, because the other name may belong to any user. The folder itself is changed last: after an interruption, the next
 * start sees the former owner and continues.
 */
export async function changeOwner(folder: string, formerOwner: number, to: Owner): Promise<void> {
  if (process.platform !== 'linux') return changeOwnerByPath(folder, to)
  const root = await openFolder(folder)
  try {
    await changeOwnerOfContents(root, folder, formerOwner, to)
    await root.chown(to.uid, to.gid)
  } finally {
    await root.close()
  }
}

const openFolder = (path: string): Promise<FileHandle> =>
  open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)

/** `shown`: the path for messages; only the handle is used. */
async function changeOwnerOfContents(folder: FileHandle, shown: string, formerOwner: number, to: Owner): Promise<void> {
  const through = `/proc/self/fd/${folder.fd}`
  for (const entry of await readdir(through, { withFileTypes: true })) {
    const path = join(through, entry.name)
    const name = join(shown, entry.name)
    if (entry.isDirectory()) {
      const inner = await openFolder(path)
      try {
        await changeOwnerOfContents(inner, name, formerOwner, to)
        await inner.chown(to.uid, to.gid)
      } finally {
        await inner.close()
      }
    } else if (entry.isFile()) await changeOwnerOfFile(path, name, formerOwner, to)
    // A link or a socket left by a killed server: changes the entry itself, never its target.
    else await lchown(path, to.uid, to.gid)
  }
}

async function changeOwnerOfFile(path: string, name: string, formerOwner: number, to: Owner): Promise<void> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const { uid, nlink } = await file.stat()
    if (uid === to.uid) return
    if (uid !== formerOwner || nlink > 1) throw foreign(name)
    await file.chown(to.uid, to.gid)
  } finally {
    await file.close()
  }
}

/** For systems without /proc handles. The former owner has no access to the parent folder at this point. */
async function changeOwnerByPath(folder: string, to: Owner): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await changeOwnerByPath(path, to)
    else if ((await lstat(path)).nlink > 1) throw foreign(path)
    else await lchown(path, to.uid, to.gid)
  }
  await chown(folder, to.uid, to.gid)
}
