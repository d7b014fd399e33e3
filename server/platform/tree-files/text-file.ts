import { createHash } from 'node:crypto'
import { closeSync, fchmodSync, fsyncSync, linkSync, readSync, renameSync, writeSync } from 'node:fs'
import { isUtf8 } from 'node:buffer'
import { siteFileLimits } from '#shared/rules/site-files.ts'
import type { Folder } from '../trees/folder.ts'
import type { RoomCounter } from './file-room.ts'
import { changedMeanwhile, missing, notPlain, taken, tooLargeText } from './refusal.ts'
import { assertNewPath, atPath } from './tree-path.ts'
import { createIn, withWorkFolder, type SiteTree } from './work-folder.ts'

/** A file shown as text; see `SiteFileText`. */
export interface ReadText {
  content: string | null
  version: string | null
  size: number
  modified: number
}

/** Identifies the content of a text. */
export const versionOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex').slice(0, 32)

/** Reads a file as text, unless it is too large or not text. */
export function readText(root: Folder, path: string): ReadText {
  return atPath(root, path, (folder, name) => {
    const { bytes, size, modified } = readBytes(folder, name, path)
    return { ...asText(bytes), size, modified }
  })
}

/** Content as a text; none if it is not text, or too large to be read. */
export function asText(bytes: Buffer | null): Pick<ReadText, 'content' | 'version'> {
  if (bytes === null || !isUtf8(bytes) || bytes.includes(0)) return { content: null, version: null }
  return { content: bytes.toString('utf8'), version: versionOf(bytes) }
}

function readBytes(folder: Folder, name: Buffer, path: string) {
  const file = folder.openFile(name)
  if (file === null) throw folder.statsOf(name) === null ? missing(path) : notPlain(path)
  try {
    const { size, mtimeMs, mode } = file.stats
    const about = { size, modified: Math.round(mtimeMs), mode: mode & 0o777 }
    if (size > siteFileLimits.text) return { ...about, bytes: null }
    const bytes = Buffer.alloc(size)
    let at = 0
    for (let read = -1; at < size && read !== 0; at += read) read = readSync(file.fd, bytes, at, size - at, at)
    return { ...about, bytes: bytes.subarray(0, at) }
  } finally {
    closeSync(file.fd)
  }
}

/**
 * Replaces the content of a file if it still has the version, else creates it (`version` null). The new content appears at
 * once; whoever reads the old one goes on reading it.
 */
export async function writeText(
  tree: SiteTree,
  { path, content, version }: { path: string; content: string; version: string | null },
  counter: RoomCounter,
): Promise<{ version: string }> {
  const bytes = Buffer.from(content)
  if (bytes.length > siteFileLimits.text) throw tooLargeText()
  if (version === null) assertNewPath(path)
  counter.add(bytes.length)
  const name = Buffer.from('text')
  return withWorkFolder(tree, (work) =>
    atPath(tree.root, path, (folder, target) => {
      const mode = version === null ? 0o644 : assertVersion(folder, target, path, version)
      writeNew(work, name, bytes, mode)
      // A link to a new name fails if something has it; a rename would replace that.
      if (version === null) linkSync(work.pathOf(name), folder.pathOf(target))
      else renameSync(work.pathOf(name), folder.pathOf(target))
      return { version: versionOf(bytes) }
    }),
  )
}

/** Returns the file's permissions. */
function assertVersion(folder: Folder, name: Buffer, path: string, version: string): number {
  const { bytes, mode } = readBytes(folder, name, path)
  if (bytes !== null && versionOf(bytes) === version) return mode
  throw changedMeanwhile(path)
}

function writeNew(folder: Folder, name: Buffer, bytes: Buffer, mode: number): void {
  const file = createIn(folder, name)
  try {
    for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at)
    fchmodSync(file, mode)
    // Otherwise a power failure right after the rename leaves an empty file.
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Throws FileRefusal `conflict` if the name is taken. */
export function assertFree(folder: Folder, name: Buffer, path: string): void {
  if (folder.statsOf(name) !== null) throw taken(path)
}
