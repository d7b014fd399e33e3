import { closeSync, readSync } from 'node:fs'
import { folderOf, nameOf } from '#shared/rules/site-files.ts'
import { writeZip, type ZipContent } from '../files/zip-writer.ts'
import type { Folder, OpenFile } from '../trees/folder.ts'
import { walkTree } from '../trees/walk.ts'
import { workOf } from './progress.ts'
import { missing } from './refusal.ts'
import { atPath, inFolder } from './tree-path.ts'

const pieceBytes = 262_144

/** Throws FileRefusal unless each path exists: a stream that has begun can only break off. */
export function assertExisting(root: Folder, paths: readonly string[]): void {
  for (const path of paths)
    if (path !== '')
      atPath(root, path, (folder, name) => {
        if (folder.statsOf(name) === null) throw missing(path)
      })
}

/** What is read from this disk. */
interface DiskContent extends ZipContent {
  readonly content: Iterable<Buffer>
}

/** Called with the work that reading a part of the files was. */
type OnWork = (work: number) => void

/** Files and folders as a ZIP archive. Links and special files are left out. */
export function zipFiles(
  root: Folder,
  paths: readonly string[],
  onWork: OnWork = () => undefined,
): AsyncGenerator<Buffer, void, undefined> {
  return writeZip(counted(contentsOf(root, paths), onWork))
}

/** The work of packing files and folders, without reading them. */
export function workOfPaths(root: Folder, paths: readonly string[]): number {
  let [files, bytes] = [0, 0]
  const count = (folder: Folder, name: Buffer): void => {
    files += 1
    bytes += folder.statsOf(name)?.size ?? 0
  }
  const countAll = (folder: Folder): void => {
    for (const entry of walkTree(folder, Buffer.alloc(0))) if (entry.kind === 'file') count(entry.folder, entry.name)
  }
  for (const path of paths) {
    if (path === '') countAll(root)
    else
      inFolder(root, folderOf(path), (parent) => {
        const name = Buffer.from(nameOf(path))
        const folder = parent.open(name)
        if (folder === null) count(parent, name)
        else
          try {
            countAll(folder)
          } finally {
            folder.close()
          }
      })
  }
  return workOf(files, bytes)
}

function* counted(contents: Iterable<DiskContent>, onWork: OnWork): Generator<DiskContent, void, undefined> {
  for (const content of contents) {
    const isFile = !content.name.toString('latin1').endsWith('/')
    yield { ...content, content: countedPieces(content.content, onWork) }
    if (isFile) onWork(workOf(1, 0))
  }
}

function* countedPieces(pieces: Iterable<Buffer>, onWork: OnWork): Generator<Buffer, void, undefined> {
  for (const piece of pieces) {
    yield piece
    onWork(piece.length)
  }
}

/** Names inside are relative to the folder that all paths are in, if there is one. */
function* contentsOf(root: Folder, paths: readonly string[]): Generator<DiskContent, void, undefined> {
  const [first = ''] = paths
  const shared = paths.every((path) => folderOf(path) === folderOf(first))
  for (const path of paths) {
    if (path === '') yield* folderContents(root, Buffer.alloc(0))
    else yield* entryContents(root, path, Buffer.from(shared ? nameOf(path) : path))
  }
}

/** Opened here and not in a callback, because a generator can't yield from one. */
function* entryContents(root: Folder, path: string, name: Buffer): Generator<DiskContent, void, undefined> {
  const parent = folderOf(path)
  const last = Buffer.from(nameOf(path))
  const folder = inFolder(root, parent, (found) => found.open(last))
  if (folder !== null) {
    try {
      yield { ...aboutFolder(folder), name: Buffer.concat([name, Buffer.from('/')]) }
      yield* folderContents(folder, name)
    } finally {
      folder.close()
    }
    return
  }
  const file = inFolder(root, parent, (found) => found.openFile(last))
  if (file !== null) yield* fileContent(file, name)
}

function* folderContents(root: Folder, prefix: Buffer): Generator<DiskContent, void, undefined> {
  for (const { folder, name, path, kind } of walkTree(root, prefix)) {
    if (kind === 'folder') {
      const stats = folder.statsOf(name)
      if (stats !== null)
        yield {
          name: Buffer.concat([path, Buffer.from('/')]),
          mode: 0o040000 | (stats.mode & 0o777),
          modified: stats.mtime,
          content: [],
        }
    } else if (kind === 'file') {
      const file = folder.openFile(name)
      if (file !== null) yield* fileContent(file, path)
    }
  }
}

function aboutFolder(folder: Folder): Omit<DiskContent, 'name'> {
  const { mode, mtime } = folder.stats()
  return { mode: 0o040000 | (mode & 0o777), modified: mtime, content: [] }
}

function* fileContent({ fd, stats }: OpenFile, name: Buffer): Generator<DiskContent, void, undefined> {
  try {
    yield { name, mode: 0o100000 | (stats.mode & 0o777), modified: stats.mtime, content: piecesOf(fd, stats.size) }
  } finally {
    closeSync(fd)
  }
}

/** At most what it had when it was opened; a file that becomes shorter meanwhile ends earlier and never breaks the archive. */
export function* piecesOf(fd: number, size: number): Generator<Buffer, void, undefined> {
  for (let at = 0; at < size;) {
    const piece = Buffer.allocUnsafe(Math.min(pieceBytes, size - at))
    const read = readSync(fd, piece, 0, piece.length, at)
    if (read === 0) return
    at += read
    yield piece.subarray(0, read)
  }
}
