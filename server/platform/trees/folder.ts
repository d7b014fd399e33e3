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
 * Folders by handle, for trees that somebody hostile may change at the same time. Node has no `openat`; on Linux a path
 * below `/proc/self/fd/N` means the same: the kernel begins at the open folder, so no folder above it can be swapped for
 * a link (https://man7.org/linux/man-pages/man5/proc_pid_fd.5.html). Everything here blocks: long work belongs into a
 * process of its own, or yields.
 */

/** Whether handles are paths, below `/proc/self/fd`. */
export const isLinux: boolean = process.platform === 'linux'
/** Names a file without opening it (Linux, `open(2)`). */
const O_PATH = 0o10000000
/** No link in the whole path is followed (macOS, sys/fcntl.h). */
const O_NOFOLLOW_ANY = 0x20000000
/** Flags of a first look: no FIFO waits, no device notices, no link is followed. */
export const lookFlags: number = isLinux
  ? O_PATH | constants.O_NOFOLLOW
  : constants.O_RDONLY | constants.O_NONBLOCK | (process.platform === 'darwin' ? O_NOFOLLOW_ANY : constants.O_NOFOLLOW)

/** What an entry of a folder is; links and special files are never opened. */
export type EntryKind = 'file' | 'folder' | 'other'

/** An entry of a folder. Names are bytes: a site can make names that are no text. */
export interface FolderEntry {
  readonly name: Buffer
  readonly kind: EntryKind
}

/** The entries of a folder, one by one, in no order, without the two dots. */
export interface Listing {
  /** Null after the last one. */
  next(): FolderEntry | null
  close(): void
}

/** An open folder. Names are single names: none contains a slash. Every function throws errors of the system. */
export interface Folder {
  list(): Listing
  /** Facts of the folder itself. */
  facts(): Stats
  /** Facts of an entry, links themselves included; null when it does not exist. */
  factsOf(name: Buffer): Stats | null
  /** Opens a folder in this one; null when there is none, or something else under that name. */
  open(name: Buffer): Folder | null
  /** Opens a regular file for reading (or writing); null when there is none, or something else under that name. */
  openFile(name: Buffer, flags?: 'r' | 'r+'): OpenFile | null
  /** Makes a folder; its mode is not narrowed by the umask. */
  makeFolder(name: Buffer, mode: number): void
  /** Removes anything but a folder; nothing happens when it does not exist. */
  removeFile(name: Buffer): void
  /** Removes an empty folder. */
  removeFolder(name: Buffer): void
  rename(name: Buffer, target: Folder, targetName: Buffer): void
  chmod(mode: number): void
  chown(uid: number, gid: number): void
  /** Gives an entry to a user; a link itself, never what it points to. Refuses files that have a second name elsewhere. */
  chownEntry(name: Buffer, uid: number, gid: number): void
  /** Path for calls that take one: of an entry, or of the folder itself. */
  pathOf(name?: Buffer): Buffer
  close(): void
}

/** A regular file that is open. */
export interface OpenFile {
  readonly fd: number
  /** As they were when it was opened. */
  readonly facts: Stats
}

/** Thrown when a file in a site's tree is not the site's alone. */
export class ForeignFileError extends Error {
  constructor(name: string) {
    super(`The file ${name} is another user's, or has a second name that may be another user's.`)
    this.name = 'ForeignFileError'
  }
}

/**
 * Whether the user of a site could read a file itself; only then may root read it for the site. A hard link brings a file
 * of somebody else into a site's tree, with its owner and mode. Null: everything here is one user's.
 */
export function isReadableBy({ uid, gid, mode }: Pick<Stats, 'uid' | 'gid' | 'mode'>, user: number | null): boolean {
  if (user === null || uid === user) return true
  return (mode & (gid === user ? 0o040 : 0o004)) !== 0
}

/**
 * Opens a folder at a path of ours: the folders above it are not checked, only the last name must be no link. Throws
 * ENOENT or ENOTDIR otherwise.
 */
export function openFolder(path: string | Buffer): Folder {
  return folderOf(openSync(path, lookFlags | constants.O_DIRECTORY), Buffer.from(path))
}

/** Opens a folder some levels below one that is open; null when one of them is none. */
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
  // Where handles are no paths the real one serves; its links are refused at each opening.
  const self = isLinux ? Buffer.from(`/proc/self/fd/${fd}`) : path
  const at = (name: Buffer): Buffer => Buffer.concat([self, slash, name])
  const look = (name: Buffer, flags = 0): number | null => orNone(() => openSync(at(name), lookFlags | flags))

  const openFile = (name: Buffer, flags: 'r' | 'r+'): OpenFile | null => {
    const looked = look(name)
    if (looked === null) return null
    try {
      const facts = fstatSync(looked)
      if (!facts.isFile()) return null
      // The very file that was looked at, whatever bears its name by now.
      const file = openSync(isLinux ? `/proc/self/fd/${looked}` : at(name), reopenFlags(flags))
      const opened = fstatSync(file)
      if (opened.ino === facts.ino && opened.dev === facts.dev) return { fd: file, facts: opened }
      closeSync(file)
      return null
    } finally {
      closeSync(looked)
    }
  }

  return {
    list: () => {
      // Node's types know no `buffer` here, though the call does (https://nodejs.org/api/fs.html#fsopendirsyncpath-options).
      const listing = opendirSync(self, { encoding: 'buffer' as BufferEncoding, bufferSize: 256 })
      return {
        next: () => {
          const entry = listing.readSync() as Dirent<Buffer> | null
          return entry === null ? null : { name: entry.name, kind: kindOf(entry) }
        },
        close: () => listing.closeSync(),
      }
    },
    facts: () => fstatSync(fd),
    factsOf: (name) => orNone(() => lstatSync(at(name))),
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
      orNone(() => unlinkSync(at(name)))
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
        const facts = fstatSync(looked)
        if (facts.isFile() && facts.nlink > 1) throw new ForeignFileError(name.toString('utf8'))
        // A handle of a link is the link: the kernel does not go on from there.
        if (facts.isSymbolicLink()) lchownSync(at(name), uid, gid)
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
  return access | constants.O_NONBLOCK | (isLinux ? 0 : lookFlags)
}

function kindOf(entry: Dirent<Buffer>): EntryKind {
  if (entry.isFile()) return 'file'
  return entry.isDirectory() ? 'folder' : 'other'
}

function orNone<T>(work: () => T): T | null {
  try {
    return work()
  } catch (error) {
    if (noFolder.has(systemErrorCode(error))) return null
    throw error
  }
}
