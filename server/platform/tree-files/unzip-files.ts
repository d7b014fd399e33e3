import { closeSync, fstatSync, readSync } from 'node:fs'
import { Readable } from 'node:stream'
import { fromRandomAccessReaderPromise, RandomAccessReader } from 'yauzl'
import { pathIn } from '#shared/rules/site-files.ts'
import { msg } from '#shared/localized-message.ts'
import type { Folder } from '../trees/folder.ts'
import type { RoomCounter } from './file-room.ts'
import { beginKept, isUnpacked, undoUnpack, type Placed } from './kept-unpack.ts'
import { contentsOf } from './placed-folders.ts'
import { countProgress, workOf, type OnProgress } from './progress.ts'
import { FileRefusal, missing, notPlain, refusing, taken } from './refusal.ts'
import { atPath, inFolder, makeFolders, namesOf } from './tree-path.ts'
import { damaged, unpackMembers } from './unpack-members.ts'
import { withWorkFolder, type SiteTree } from './work-folder.ts'
import { readZipMembers, type ZipMember } from './zip-entries.ts'

/** An archive and where it is unpacked. */
export interface Unzip {
  /** Of the archive in the site; ignored with `source`. */
  readonly path: string
  /** The open archive if it is not in the site; closed by the caller. */
  readonly source?: number
  readonly into: string
  readonly replace: boolean
  /** Operation for which what is replaced is kept, see `kept-unpack.ts`; null: nothing is. */
  readonly keep: string | null
  /** Throws if a member may not be written at this path. */
  readonly assertAllowed: (path: string) => void
  readonly onProgress: OnProgress
}

const pieceBytes = 262_144

/** Bytes of an open file, which stays its opener's to close. */
export interface FilePart {
  readonly fd: number
  readonly start: number
  readonly size: number
}

/** Reads a part of an open file. */
class PartReader extends RandomAccessReader {
  readonly #part: FilePart
  constructor(part: FilePart) {
    super()
    this.#part = part
  }
  override _readStreamForRange(start: number, end: number): Readable {
    // Node's own stream of a file closes it when it is destroyed.
    return Readable.from(piecesOf({ ...this.#part, start: this.#part.start + start, size: end - start }), {
      objectMode: false,
    })
  }
}

/** The bytes of a part, fewer if the file ends before. */
export function* piecesOf({ fd, start, size }: FilePart): Generator<Buffer, void, undefined> {
  const end = start + size
  for (let at = start; at < end;) {
    const piece = Buffer.allocUnsafe(Math.min(pieceBytes, end - at))
    const read = readSync(fd, piece, 0, piece.length, at)
    if (read === 0) return
    at += read
    yield piece.subarray(0, read)
  }
}

/**
 * Unpacks a ZIP archive: everything is checked, then unpacked where nobody sees it, then moved into place. Returns the number
 * of files.
 */
export async function unzipFiles(tree: SiteTree, options: Unzip, counter: RoomCounter): Promise<{ files: number }> {
  const { into, keep } = options
  const file = openArchive(tree, options)
  try {
    // A repeated operation: cut off, or done already.
    if (keep !== null && !isUnpacked(tree, keep)) await undoUnpack(tree, keep)
    const members = await openZip({ fd: file.fd, start: 0, size: file.stats.size }, () => noArchive(options))
    const files = members.filter(({ isFolder }) => !isFolder).length
    if (keep !== null && isUnpacked(tree, keep)) return { files }
    for (const member of members) {
      options.assertAllowed(pathIn(into, member.path))
      counter.add(member.isFolder ? 0 : member.size)
    }
    await withWorkFolder(tree, async (work) => {
      const bytes = members.reduce((sum, { size }) => sum + size, 0)
      const progress = countProgress(workOf(files, bytes), options.onProgress)
      await unpackMembers(members, work, () => progress.add(workOf(1, 0)), progress.add)
      await place(tree, work, options)
    })
    return { files }
  } finally {
    if (options.source === undefined) closeSync(file.fd)
  }
}

/**
 * Reads and checks the directory of an archive in an open file. Throws FileRefusal, that of `damaged` for anything but a ZIP
 * archive. Its members can be read as long as the file is open.
 */
export async function openZip(part: FilePart, damaged: () => FileRefusal): Promise<ZipMember[]> {
  const zip = await fromRandomAccessReaderPromise(new PartReader(part), part.size, {
    decodeStrings: false,
    autoClose: false,
  }).catch(() => {
    throw damaged()
  })
  return readZipMembers(zip).catch((error: unknown) => {
    throw error instanceof FileRefusal ? error : damaged()
  })
}

function openArchive(tree: SiteTree, { path, source }: Unzip): { fd: number; stats: { size: number } } {
  if (source !== undefined) return { fd: source, stats: fstatSync(source) }
  return atPath(tree.root, path, (folder, name) => {
    const opened = folder.openFile(name)
    if (opened === null) throw folder.statsOf(name) === null ? missing(path) : notPlain(path)
    return opened
  })
}

/** Moves what was unpacked into place, once it is sure that nothing is in the way. */
async function place(tree: SiteTree, work: Folder, { into, replace, keep }: Unzip): Promise<void> {
  const placed: Placed[] = []
  const missing = firstMissing(tree.root, into)
  if (missing === null)
    inFolder(tree.root, into, (target) => {
      merge(work, target, {
        into,
        replace,
        each: (path, replaces, { from, name }) => placed.push({ path, replaces, ...contentsAt(from, name, path) }),
      })
    })
  else
    placed.push({
      path: missing,
      replaces: false,
      contents: [...foldersBelow(missing, into), ...contentsOf(work, into)],
    })
  const kept = keep === null ? null : await beginKept(tree, keep, placed)
  try {
    makeFolders(tree.root, into)
    inFolder(tree.root, into, (target) => {
      merge(work, target, {
        into,
        replace,
        each(path, replaces, { from, to, name }) {
          if (replaces) kept?.keep(path, to, name)
          refusing(path, () => from.rename(name, to, name))
        },
      })
    })
    kept?.done()
  } finally {
    kept?.close()
  }
}

/** What a folder contains; nothing for a file. */
function contentsAt(from: Folder, name: Buffer, path: string): Pick<Placed, 'contents'> {
  const folder = from.open(name)
  if (folder === null) return {}
  try {
    return { contents: contentsOf(folder, path) }
  } finally {
    folder.close()
  }
}

/** The folders of a path below one of them, which is part of it. */
function foldersBelow(folder: string, path: string): string[] {
  const names = path
    .slice(folder.length + 1)
    .split('/')
    .filter(Boolean)
  return names.map((_name, at) => `${[folder, ...names.slice(0, at + 1)].join('/')}/`)
}

/** The first folder of a path that does not exist; null if all of them do. */
function firstMissing(root: Folder, path: string): string | null {
  const names = namesOf(path)
  for (let count = 1; count <= names.length; count += 1) {
    const at = names.slice(0, count).join('/')
    if (atPath(root, at, (folder, name) => folder.statsOf(name)) === null) return at
  }
  return null
}

interface Merge {
  readonly into: string
  readonly replace: boolean
  /** Called for each file or folder to move; in the order of a listing. */
  readonly each: (path: string, replaces: boolean, move: { from: Folder; to: Folder; name: Buffer }) => void
}

/** Finds what is to be moved from one folder to another; folders that exist on both sides become one. */
function merge(source: Folder, target: Folder, options: Merge): void {
  const { into, replace, each } = options
  const names: Buffer[] = []
  const listing = source.list()
  try {
    for (let entry = listing.next(); entry !== null; entry = listing.next()) names.push(entry.name)
  } finally {
    listing.close()
  }
  for (const name of names) {
    const path = pathIn(into, name.toString('utf8'))
    const there = target.statsOf(name)
    const isFolder = source.statsOf(name)?.isDirectory() === true
    if (there !== null && isFolder && there.isDirectory()) {
      bothIn(source, target, name, (from, to) => merge(from, to, { ...options, into: path }))
      continue
    }
    if (there !== null && (isFolder || there.isDirectory() || !replace)) throw taken(path)
    each(path, there !== null, { from: source, to: target, name })
  }
}

function bothIn(source: Folder, target: Folder, name: Buffer, work: (from: Folder, to: Folder) => void): void {
  const from = source.open(name)
  try {
    const to = target.open(name)
    try {
      if (from !== null && to !== null) work(from, to)
    } finally {
      to?.close()
    }
  } finally {
    from?.close()
  }
}

function noArchive({ path, source }: Unzip): FileRefusal {
  if (source === undefined) return damaged(path)
  return new FileRefusal('invalid', msg`This is no ZIP file, or it is damaged.`, msg`Choose another file.`)
}
