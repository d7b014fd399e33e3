import { closeSync, fchmodSync, writeSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { folderOf } from '#shared/rules/site-files.ts'
import { msg } from '#shared/localized-message.ts'
import type { Folder } from '../trees/folder.ts'
import { FileRefusal, refusing } from './refusal.ts'
import { createIn } from './work-folder.ts'

/** A checked file or folder of an archive. */
export interface UnpackMember {
  /** Without a slash at its end. */
  readonly path: string
  readonly isFolder: boolean
  /** Bytes; null if only reading it tells. */
  readonly size: number | null
  /** Null if the archive has none. */
  readonly crc32: number | null
  /** Its bytes; fails if there are more than `size`. */
  read(): Promise<AsyncIterable<Buffer>>
}

/**
 * Writes checked members into a folder, by their paths. Existing folders are used; existing files are in the way. `onBytes` is called
 * for each written piece of a file, `onFile` after each file.
 */
export async function unpackMembers(
  members: readonly UnpackMember[],
  work: Folder,
  onFile: () => void,
  onBytes: (bytes: number) => void = () => undefined,
): Promise<void> {
  const made = new Set<string>([''])
  const makeParents = (path: string): void => {
    if (made.has(path)) return
    makeParents(folderOf(path))
    if (work.statsOf(Buffer.from(path))?.isDirectory() !== true) work.makeFolder(Buffer.from(path), 0o755)
    made.add(path)
  }
  for (const member of members) {
    makeParents(member.isFolder ? member.path : folderOf(member.path))
    if (member.isFolder) continue
    await unpackMember(member, work, onBytes)
    onFile()
  }
}

async function unpackMember(member: UnpackMember, work: Folder, onBytes: (bytes: number) => void): Promise<void> {
  const { path } = member
  const file = refusing(path, () => createIn(work, Buffer.from(path)))
  try {
    for await (const chunk of checkedContent(member)) {
      for (let at = 0; at < chunk.length;) at += writeSync(file, chunk, at)
      onBytes(chunk.length)
    }
    fchmodSync(file, 0o644)
  } finally {
    closeSync(file)
  }
}

/** Bytes of a member. Throws FileRefusal at the end if they are not the ones that the archive says. */
export async function* checkedContent(member: UnpackMember): AsyncGenerator<Buffer, void, undefined> {
  const { path, size } = member
  let [sum, bytes] = [0, 0]
  try {
    for await (const chunk of await member.read()) {
      sum = crc32(chunk, sum)
      bytes += chunk.length
      if (size !== null && bytes > size) break
      yield chunk
    }
  } catch (error) {
    throw error instanceof FileRefusal || isSystemError(error) ? error : damaged(path)
  }
  if ((size !== null && bytes !== size) || (member.crc32 !== null && sum !== member.crc32)) throw damaged(path)
}

const isSystemError = (error: unknown): boolean => error instanceof Error && 'syscall' in error

/** The content of a member is not what the archive says. */
export function damaged(path: string): FileRefusal {
  return new FileRefusal(
    'invalid',
    msg`The archive cannot be read, or is damaged: ${path}.`,
    msg`Nothing was extracted. Upload it again.`,
  )
}
