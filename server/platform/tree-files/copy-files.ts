import { closeSync, fchmodSync, readSync, writeSync } from 'node:fs'
import { msg } from '#shared/localized-message.ts'
import type { Folder, OpenFile } from '../trees/folder.ts'
import { walkTree } from '../trees/walk.ts'
import type { RoomCounter } from './file-room.ts'
import { FileRefusal, missing, notPlain } from './refusal.ts'
import { assertFree } from './text-file.ts'
import { assertNewPath, atPath } from './tree-path.ts'
import { createIn, withWorkFolder, type SiteTree } from './work-folder.ts'

const pieceBytes = 1_048_576

/** Copies a file, or a folder with what is in it. Links and special files are left out. */
export async function copyFiles(
  tree: SiteTree,
  { from, to }: { from: string; to: string },
  counter: RoomCounter,
): Promise<void> {
  assertNewPath(to)
  atPath(tree.root, to, (folder, name) => assertFree(folder, name, to))
  if (to.startsWith(`${from}/`))
    throw new FileRefusal('invalid', msg`${from} cannot be copied into itself.`, msg`Choose another folder.`)
  const name = Buffer.from('copy')
  await withWorkFolder(tree, (work) => {
    atPath(tree.root, from, (folder, source) => copyEntry(folder, source, { folder: work, name }, counter, from))
    atPath(tree.root, to, (folder, target) => {
      assertFree(folder, target, to)
      work.rename(name, folder, target)
    })
  })
}

interface Place {
  readonly folder: Folder
  readonly name: Buffer
}

function copyEntry(folder: Folder, name: Buffer, to: Place, counter: RoomCounter, path: string): void {
  const stats = folder.statsOf(name)
  if (stats === null) throw missing(path)
  if (!stats.isDirectory()) {
    const file = folder.openFile(name)
    if (file === null) throw notPlain(path)
    copyFile(file, to, counter)
    return
  }
  const source = folder.open(name)
  if (source === null) throw missing(path)
  try {
    makeCopied(to, stats.mode, counter)
    const top = to.folder.open(to.name)
    if (top === null) throw missing(path)
    try {
      copyTree(source, top, counter)
    } finally {
      top.close()
    }
  } finally {
    source.close()
  }
}

/** The copy's folders are opened by their path, from a folder that nobody else can write. */
function copyTree(source: Folder, target: Folder, counter: RoomCounter): void {
  for (const { folder, name, path, kind } of walkTree(source)) {
    const to = { folder: target, name: path }
    if (kind === 'folder') {
      const stats = folder.statsOf(name)
      if (stats !== null) makeCopied(to, stats.mode, counter)
    } else if (kind === 'file') {
      const file = folder.openFile(name)
      if (file !== null) copyFile(file, to, counter)
    }
  }
}

function makeCopied({ folder, name }: Place, mode: number, counter: RoomCounter): void {
  counter.add(0)
  folder.makeFolder(name, (mode & 0o777) | 0o700)
}

/** Copies an open file into a new one, and closes it. */
function copyFile({ fd, stats }: OpenFile, { folder, name }: Place, counter: RoomCounter): void {
  try {
    counter.add(stats.size)
    const copy = createIn(folder, name)
    try {
      copyBytes(fd, copy, stats.size)
      fchmodSync(copy, stats.mode & 0o777)
    } finally {
      closeSync(copy)
    }
  } finally {
    closeSync(fd)
  }
}

/** Copies at most `size` bytes: a file that grows meanwhile must not outgrow the room that was counted. */
export function copyBytes(from: number, to: number, size: number): void {
  const piece = Buffer.allocUnsafe(Math.min(pieceBytes, Math.max(1, size)))
  for (let at = 0; at < size;) {
    const read = readSync(from, piece, 0, Math.min(piece.length, size - at), at)
    if (read === 0) return
    for (let written = 0; written < read;) written += writeSync(to, piece, written, read - written)
    at += read
  }
}
