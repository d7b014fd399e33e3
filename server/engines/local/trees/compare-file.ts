import { isUtf8 } from 'node:buffer'
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import { structuredPatch } from 'diff'
import { openPromise } from 'yauzl'
import { maxDiffLength, type FileComparison } from '#shared/responses/file-comparison.ts'
import { folderOf, nameOf } from '#shared/rules/site-files.ts'
import { readZipMembers } from '#server/platform/tree-files/zip-entries.ts'
import { FileRefusal } from '#server/platform/tree-files/refusal.ts'
import type { Folder, OpenFile } from '#server/platform/trees/folder.ts'
import { inFolder } from '#server/platform/tree-files/tree-path.ts'

const maxBytes = 1_048_576
/** More differing lines than this cost time that grows with their square; people can't read them anyway. */
const maxEdits = 4_000
const timeoutMs = 3_000

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
    if (found.size > maxBytes) return { bytes: found.size, content: null }
    // What expands further than it says fails.
    return { bytes: found.size, content: await buffer(await found.read()) }
  } finally {
    zip.close()
  }
}

/** A file, or as much as can be compared. */
export interface FileContent {
  readonly bytes: number
  /** Null: too long. */
  readonly content: Buffer | null
}

/** Compares a file below `root` with its original. Links are not followed. */
export function compareFile(
  root: Folder,
  path: string,
  original: FileContent | null,
): Omit<FileComparison, 'path'> | null {
  const current = readCurrent(root, path)
  if (current === null && original === null) return null
  const sizes = { original_bytes: original?.bytes ?? null, bytes: current?.bytes ?? null }
  const plain = (result: FileComparison['result']) => ({ result, diff: null, truncated: false, ...sizes })
  const [before, after] = [original, current].map((one) => (one === null ? Buffer.alloc(0) : one.content))
  if (!before || !after) return plain('too_long')
  if (before.equals(after) && original !== null && current !== null) return plain('same')
  if (!isText(before) || !isText(after)) return plain('binary')
  if (original === null || current === null) {
    const whole = wholeFile((before.length > 0 ? before : after).toString('utf8'), original === null ? '+' : '-')
    return { ...plain('text'), diff: whole.slice(0, maxDiffLength), truncated: whole.length > maxDiffLength }
  }
  const patch = structuredPatch('', '', before.toString('utf8'), after.toString('utf8'), undefined, undefined, {
    context: 3,
    maxEditLength: maxEdits,
    timeout: timeoutMs,
  })
  if (patch === undefined) return plain('too_different')
  const diff = patch.hunks
    .map(
      ({ oldStart, oldLines, newStart, newLines, lines }) =>
        `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@\n${lines.join('\n')}\n`,
    )
    .join('')
  return { ...plain('text'), diff: diff.slice(0, maxDiffLength), truncated: diff.length > maxDiffLength }
}

/** A file that only one side has. */
function wholeFile(text: string, mark: '+' | '-'): string {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  const range = `1,${lines.length}`
  const head = mark === '+' ? `@@ -0,0 +${range} @@` : `@@ -${range} +0,0 @@`
  return `${head}\n${lines.map((line) => `${mark}${line}\n`).join('')}`
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
  if (size > maxBytes) return { bytes: size, content: null }
  const buffer = Buffer.alloc(size)
  let at = 0
  for (let read = -1; read !== 0 && at < size; at += read) read = readSync(fd, buffer, at, size - at, at)
  return { bytes: size, content: buffer.subarray(0, at) }
}

const isText = (content: Buffer) => isUtf8(content) && !content.includes(0)
