import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  fstatSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  opendirSync,
  openSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  type Dirent,
  type Stats,
} from 'node:fs'
import { systemErrorCode } from '../processes/startup-error.ts'

/**
 * Folders by handle, for trees that a hostile process may change at the same time. Node has no `openat`; on Linux a path
 * below `/proc/self/fd/N` is equivalent: the kernel starts at the open folder, so no folder above it can be swapped for a
 * link (https://man7.org/linux/man-pages/man5/proc_pid_fd.5.html). All functions are synchronous: run long work in a
 * separate process, or yield.
 */

/** Whether handles can be used as paths, below `/proc/self/fd`. */
export const isLinux: boolean = process.platform === 'linux'
/** Opens a path without opening the file itself (Linux, `open(2)`). */
const O_PATH = 0o10000000
/** No link anywhere in the path is followed (macOS, sys/fcntl.h). */
const O_NOFOLLOW_ANY = 0x20000000
/** Flags for inspecting an entry: FIFOs don't block, devices aren't triggered, links aren't followed. */
export const inspectFlags: number = isLinux
  ? O_PATH | constants.O_NOFOLLOW
  : constants.O_RDONLY | constants.O_NONBLOCK | (process.platform === 'darwin' ? O_NOFOLLOW_ANY : constants.O_NOFOLLOW)

/** Type of a folder entry; links and special files are never opened. */
export type EntryKind = 'file' | 'folder' | 'other'

/** A folder entry. Names are bytes: a site can create names that are not valid text. */
export interface FolderEntry {
  readonly name: Buffer
  readonly kind: EntryKind
}

/** The entries of a folder, one at a time, unordered, without `.` and `..`. */
export interface Listing {
  /** Null after the last one. */
  next(): FolderEntry | null
  close(): void
}

/** An open folder. Names are single names without slashes. Every function throws system errors. */
export interface Folder {
  list(): Listing
  /** Stats of the folder itself. */
  stats(): Stats
  /** Stats of an entry (of a link itself); null if it does not exist. */
  statsOf(name: Buffer): Stats | null
  /** Opens a subfolder; null if it does not exist or is something else. */
  open(name: Buffer): Folder | null
  /** Opens a regular file for reading (or writing); null if it does not exist or is something else. */
  openFile(name: Buffer, flags?: 'r' | 'r+'): OpenFile | null
  /** Creates a folder; the umask is not applied to its mode. */
  makeFolder(name: Buffer, mode: number): void
  /** Removes anything but a folder; does nothing if it does not exist. */
  removeFile(name: Buffer): void
  /** Removes an empty folder. */
  removeFolder(name: Buffer): void
  rename(name: Buffer, target: Folder, targetName: Buffer): void
  chmod(mode: number): void
  chown(uid: number, gid: number): void
  /** Changes the owner of an entry; of a link itself, never its target. Rejects files with other hard links. */
  chownEntry(name: Buffer, uid: number, gid: number): void
  /** Path of an entry, or of the folder itself, for functions that need a path. */
  pathOf(name?: Buffer): Buffer
  close(): void
}

/** An open regular file. */
export interface OpenFile {
  readonly fd: number
  /** Stats at the time it was opened. */
  readonly stats: Stats
}

/** Thrown if a file in a site's tree doesn't belong to the site alone. */
export class ForeignFileError extends Error {
  constructor(name: string) {
    super(`The file ${name} belongs to another user, or has a second hard link that could belong to another user.`)
    this.name = 'ForeignFileError'
  }
}

/**
 * Whether the user of a site could read a file; only then may root read it for the site. A hard link brings another user's
 * file into a site's tree, with its owner and mode. Null: everything belongs to one user.
 */
export function isReadableBy({ uid, gid, mode }: Pick<Stats, 'uid' | 'gid' | 'mode'>, user: number | null): boolean {
  if (user === null || uid === user) return true
  return (mode & (gid === user ? 0o040 : 0o004)) !== 0
}

/**
 * Opens a folder at one of our own paths: the folders above it are not checked, only the last name must not be a link.
 * Throws ENOENT or ENOTDIR otherwise.
 */
export function openFolder(path: string | Buffer): Folder {
  return folderOf(openSync(path, inspectFlags | constants.O_DIRECTORY), Buffer.from(path))
}

/** Opens a nested folder below an open one; null if any of the names is not a folder. */
export function openBelow(root: Folder, names: readonly string[]): Folder | null {
  let found: Folder | null = null
  for (const name of names) {
    const next: Folder | null = (found ?? root).open(Buffer.from(name))
    found?.close()
    if (next === null) return null
    found = next
  }
  return found
}

const slash = Buffer.from('/')
/** Errors that mean: not a folder (any more), or a link. */
const noFolder = new Set(['ENOENT', 'ENOTDIR', 'ELOOP'])

function folderOf(fd: number, path: Buffer): Folder {
  // Where handles can't be used as paths, the real path is used; links in it are rejected at each open.
  const self = isLinux ? Buffer.from(`/proc/self/fd/${fd}`) : path
  const at = (name: Buffer): Buffer => Buffer.concat([self, slash, name])
  const look = (name: Buffer, flags = 0): number | null =>
    orNullIfMissing(() => openSync(at(name), inspectFlags | flags))

  const openFile = (name: Buffer, flags: 'r' | 'r+'): OpenFile | null => {
    const handle = look(name)
    if (handle === null) return null
    try {
      const stats = fstatSync(handle)
      if (!stats.isFile()) return null
      // The same file that was inspected, even if another one has its name now.
      const file = openSync(isLinux ? `/proc/self/fd/${handle}` : at(name), reopenFlags(flags))
      const opened = fstatSync(file)
      if (opened.ino === stats.ino && opened.dev === stats.dev) return { fd: file, stats: opened }
      closeSync(file)
      return null
    } finally {
      closeSync(handle)
    }
  }

  return {
    list: () => {
      // Node's types don't include `buffer` here, but the call supports it
      // (https://nodejs.org/api/fs.html#fsopendirsyncpath-options).
      const listing = opendirSync(self, { encoding: 'buffer' as BufferEncoding, bufferSize: 256 })
      return {
        next: () => {
          const entry = listing.readSync() as Dirent<Buffer> | null
          return entry === null ? null : { name: entry.name, kind: kindOf(entry) }
        },
        close: () => listing.closeSync(),
      }
    },
    stats: () => fstatSync(fd),
    statsOf: (name) => orNullIfMissing(() => lstatSync(at(name))),
    open: (name) => {
      const opened = look(name, constants.O_DIRECTORY)
      return opened === null ? null : folderOf(opened, Buffer.concat([path, slash, name]))
    },
    openFile: (name, flags = 'r') => openFile(name, flags),
    makeFolder: (name, mode) => {
      mkdirSync(at(name), { mode })
      chmodSync(at(name), mode)
    },
    removeFile: (name) => {
      orNullIfMissing(() => unlinkSync(at(name)))
    },
    removeFolder: (name) => rmdirSync(at(name)),
    rename: (name, target, targetName) => renameSync(at(name), target.pathOf(targetName)),
    chmod: (mode) => chmodSync(self, mode),
    chown: (uid, gid) => chownSync(self, uid, gid),
    chownEntry: (name, uid, gid) => {
      const looked = isLinux ? look(name) : null
      if (looked === null) {
        lchownSync(at(name), uid, gid)
        return
      }
      try {
        const stats = fstatSync(looked)
        if (stats.isFile() && stats.nlink > 1) throw new ForeignFileError(name.toString('utf8'))
        // The handle of a link is the link itself: the kernel does not follow it.
        if (stats.isSymbolicLink()) lchownSync(at(name), uid, gid)
        else chownSync(`/proc/self/fd/${looked}`, uid, gid)
      } finally {
        closeSync(looked)
      }
    },
    pathOf: (name) => (name === undefined ? self : at(name)),
    close: () => closeSync(fd),
  }
}

function reopenFlags(flags: 'r' | 'r+'): number {
  const access = flags === 'r' ? constants.O_RDONLY : constants.O_RDWR
  return access | constants.O_NONBLOCK | (isLinux ? 0 : inspectFlags)
}

function kindOf(entry: Dirent<Buffer>): EntryKind {
  if (entry.isFile()) return 'file'
  return entry.isDirectory() ? 'folder' : 'other'
}

function orNullIfMissing<T>(work: () => T): T | null {
  try {
    return work()
  } catch (error) {
    if (noFolder.has(systemErrorCode(error))) return null
    throw error
  }
}
