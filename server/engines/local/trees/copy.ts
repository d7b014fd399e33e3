import {
  closeSync,
  constants,
  copyFileSync,
  fchmodSync,
  futimesSync,
  mkdirSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs'
import { systemErrorCode } from '#server/platform/processes/startup-error.ts'
import { isLinux, isReadableBy, openFolder, type OpenFile } from '#server/platform/trees/folder.ts'
import { walkTree, type WalkEntry } from '#server/platform/trees/walk.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'
import { createTreeCounter, type TreeLimits } from './limits.ts'

/** Options of copying a tree. */
export interface CopyOptions {
  readonly from: string
  /** A new folder that only we can enter. */
  readonly into: string
  /** User of the site: files that user could not read are refused. Null: everything belongs to one user. */
  readonly owner: number | null
  readonly limits: TreeLimits
  /** Folders left out, as paths below `from`; they are created empty. */
  readonly without: readonly string[]
}

/**
 * Copies the regular files and folders of a tree, sharing blocks if the file system supports it. Links and special files are
 * skipped and never followed. The caller must remove what a failed copy left.
 * @throws EngineError `invalid` for files that belong to another user, folders nested too deep, or a tree over the limits
 */
export function copyTree(options: CopyOptions, onFile: () => void): TreeLimits {
  const { from, into, owner, limits, without } = options
  const counted = createTreeCounter(limits)
  const root = openFolder(from)
  const left = new Set(without)
  try {
    mkdirSync(into, { mode: 0o755 })
    const isLeft = (path: string) => isBelow(path, left)
    copyEntries(walkTree(root), { into, owner, isLeft, count: counted.add }, onFile)
  } finally {
    root.close()
  }
  return { ...counted.total }
}

/** Copies what a walk finds below `into`, a folder that only we can enter. `isLeft` gets paths as latin1. */
export function copyEntries(
  entries: Iterable<WalkEntry>,
  {
    into,
    owner,
    isLeft,
    count,
  }: Pick<CopyOptions, 'into' | 'owner'> & { isLeft(path: string): boolean; count(bytes: number): void },
  onFile: () => void,
): void {
  for (const entry of entries) {
    if (entry.kind === 'other' || isLeft(entry.path.toString('latin1'))) continue
    if (entry.skipped !== null) throw cannotCopy(entry.path)
    const target = Buffer.concat([Buffer.from(`${into}/`), entry.path])
    try {
      copyEntry(entry, target, owner, count)
    } catch (error) {
      if (['ENAMETOOLONG', 'EACCES', 'EPERM'].includes(systemErrorCode(error))) throw cannotCopy(entry.path)
      throw error
    }
    if (entry.kind === 'file') onFile()
  }
}

function isBelow(path: string, folders: ReadonlySet<string>): boolean {
  for (const folder of folders) if (path.startsWith(`${folder}/`)) return true
  return false
}

/** Copies a file, or makes a folder, at a path where nothing is. */
export function copyEntry(
  { folder, name, path, kind }: Omit<WalkEntry, 'skipped'>,
  target: Buffer,
  owner: number | null,
  count: (bytes: number) => void,
): void {
  if (kind === 'folder') {
    count(0)
    mkdirSync(target, { mode: ((folder.statsOf(name)?.mode ?? 0o755) & 0o777) | 0o700 })
    return
  }
  const file = folder.openFile(name)
  if (file === null) throw new Error('A file of the site changed while it was copied.')
  try {
    if (!isReadableBy(file.stats, owner)) throw cannotCopy(path)
    count(file.stats.size)
    copyContent(file, target)
  } finally {
    closeSync(file.fd)
  }
}

/** Copies an open file to a path where nothing is; time and mode stay. */
export function copyContent({ fd, stats }: OpenFile, target: Buffer): void {
  // The open file is copied, whatever has its name now.
  if (isLinux) copyFileSync(`/proc/self/fd/${fd}`, target, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL)
  const copy = openSync(target, isLinux ? 'r+' : 'wx+', 0o600)
  try {
    if (!isLinux) copyBytes(fd, copy)
    futimesSync(copy, stats.mtimeMs / 1000, stats.mtimeMs / 1000)
    fchmodSync(copy, (stats.mode & 0o777) | 0o600)
  } finally {
    closeSync(copy)
  }
}

function copyBytes(from: number, to: number): void {
  const buffer = Buffer.alloc(256 * 1024)
  for (let read = readSync(from, buffer); read > 0; read = readSync(from, buffer))
    for (let at = 0; at < read;) at += writeSync(to, buffer, at, read - at)
}

function cannotCopy(path: Buffer): EngineError {
  return new EngineError('invalid', msg`Easydash can’t copy a file or folder of the site: ${path.toString('utf8')}.`, {
    nextAction: msg`Give it to the user of the site, move it up, or remove it.`,
  })
}
