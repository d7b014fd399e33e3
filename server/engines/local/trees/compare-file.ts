import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import { openPromise } from 'yauzl'
import type { FileComparison } from '#shared/responses/file-comparison.ts'
import { folderOf, nameOf } from '#shared/rules/site-files.ts'
import { readZipMembers } from '#server/platform/tree-files/zip-entries.ts'
import { FileRefusal } from '#server/platform/tree-files/refusal.ts'
import type { Folder, OpenFile } from '#server/platform/trees/folder.ts'
import { inFolder } from '#server/platform/tree-files/tree-path.ts'
import { compareContents, maxComparedBytes, type FileContent } from '../../file-comparison.ts'

/** A file of the site and its original, which is a file of ours, a member of an archive of ours, or null if there is none. */
export interface OriginalInput {
  readonly path: string
  readonly original: { readonly file: string } | { readonly archive: string; readonly member: string } | null
}

/** Reads the original: before the process becomes the site's user, who could not. */
export async function readOriginal(original: OriginalInput['original']): Promise<FileContent | null> {
  if (original === null) return null
  if ('archive' in original) return readMember(original)
  let fd: number
  try {
    fd = openSync(original.file, constants.O_RDONLY)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  try {
    return contentOf(fd)
  } finally {
    closeSync(fd)
  }
}

/** A file in an archive of a user, which was unpacked once already. */
async function readMember({
  archive,
  member,
}: {
  readonly archive: string
  readonly member: string
}): Promise<FileContent | null> {
  const zip = await openPromise(archive, { decodeStrings: false, autoClose: false })
  try {
    const found = (await readZipMembers(zip)).find(({ path, isFolder }) => path === member && !isFolder)
    if (found === undefined) return null
    if (found.size > maxComparedBytes) return { bytes: found.size, content: null }
    // What expands further than it says fails.
    return { bytes: found.size, content: await buffer(await found.read()) }
  } finally {
    zip.close()
  }
}

/** Compares a file below `root` with its original. Links are not followed. */
export function compareFile(
  root: Folder,
  path: string,
  original: FileContent | null,
): Omit<FileComparison, 'path'> | null {
  return compareContents(readCurrent(root, path), original)
}

function readCurrent(root: Folder, path: string): FileContent | null {
  const file = openCurrent(root, path)
  if (file === null) return null
  try {
    return contentOf(file.fd)
  } finally {
    closeSync(file.fd)
  }
}

function openCurrent(root: Folder, path: string): OpenFile | null {
  try {
    return inFolder(root, folderOf(path), (folder) => folder.openFile(Buffer.from(nameOf(path))))
  } catch (error) {
    // Its folder is missing, too.
    if (error instanceof FileRefusal && error.code === 'not_found') return null
    throw error
  }
}

function contentOf(fd: number): FileContent {
  const { size } = fstatSync(fd)
  if (size > maxComparedBytes) return { bytes: size, content: null }
  const buffer = Buffer.alloc(size)
  let at = 0
  for (let read = -1; read !== 0 && at < size; at += read) read = readSync(fd, buffer, at, size - at, at)
  return { bytes: size, content: buffer.subarray(0, at) }
}
