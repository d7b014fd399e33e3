import { isUtf8 } from 'node:buffer'
import { type Entry, type ZipFile } from 'yauzl'
import { isNewName, splitPath } from '#shared/rules/site-files.ts'
import { msg, type LocalizedMessage } from '#shared/localized-message.ts'
import { FileRefusal } from './refusal.ts'
import type { UnpackMember } from './unpack-members.ts'

/** Files and folders of an archive of a user. */
export const maxEntries = 200_000
/** How much larger than its packed bytes a member may be. */
const maxRatio = 100
/** Small members compress better than any real content, and do no harm. */
const harmlessBytes = 1_000_000

/** A checked member of a ZIP archive. */
export interface ZipMember extends UnpackMember {
  readonly size: number
  readonly crc32: number
  /** Where its bytes are in the archive if they are stored as they are; null if they are compressed. */
  readonly stored: { readonly start: number; readonly size: number } | null
}

/**
 * Reads the directory of a ZIP archive and checks every member before anything is unpacked: names that lead out of the folder,
 * links and other special members, encrypted ones, members that expand too far or share their bytes. The refusal names the
 * member.
 */
export async function readZipMembers(zip: ZipFile): Promise<ZipMember[]> {
  if (zip.entryCount > maxEntries) throw refuseEntry(msg`The archive has more than ${maxEntries} files and folders.`)
  const members: ZipMember[] = []
  const spans: { path: string; start: number; end: number }[] = []
  for await (const entry of zip.eachEntry()) {
    if (members.length >= maxEntries) throw refuseEntry(msg`The archive has more than ${maxEntries} files and folders.`)
    const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true })
    const member = memberOf(zip, entry, fileDataStart)
    members.push(member)
    spans.push({
      path: member.path,
      start: entry.relativeOffsetOfLocalHeader,
      end: fileDataStart + entry.compressedSize,
    })
  }
  assertDistinct(members)
  assertNoOverlap(spans)
  return members
}

function memberOf(zip: ZipFile, entry: Entry, start: number): ZipMember {
  const { path, isFolder } = memberPath(entry.fileNameRaw)
  const type = (entry.externalFileAttributes >>> 16) & 0o170000
  // Writers on other systems than Unix leave the type out.
  if (type !== 0 && type !== (isFolder ? 0o040000 : 0o100000))
    throw refuseEntry(msg`The archive has an entry that is a link or a special file: ${path}.`)
  if (entry.isEncrypted()) throw refuseEntry(msg`The archive is encrypted: ${path}.`)
  const { uncompressedSize: size, compressedSize: packed } = entry
  if ((isFolder && size > 0) || expandsTooFar(size, packed)) throw refuseExpansion(path)
  return {
    ...{ path, isFolder, size, crc32: entry.crc32 },
    stored: entry.compressionMethod === 0 ? { start, size } : null,
    read: () => zip.openReadStreamPromise(entry),
  }
}

/** Whether so few packed bytes become too many (bytes of both). */
export function expandsTooFar(size: number, packed: number): boolean {
  return size > harmlessBytes && size > packed * maxRatio
}

/** A member becomes far larger than it is in the archive. */
export function refuseExpansion(path: string): FileRefusal {
  return refuseEntry(msg`The archive has an entry that expands too far: ${path}.`)
}

/** The path of a member, without the slash at the end of a folder's. Throws FileRefusal if it leads out, or misleads. */
export function memberPath(raw: Buffer): { path: string; isFolder: boolean } {
  const text = raw.toString('utf8')
  const isFolder = text.endsWith('/')
  const path = isFolder ? text.slice(0, -1) : text
  const names = splitPath(path)
  if (!isUtf8(raw) || typeof names === 'string' || names.length === 0 || !names.every(isNewName))
    throw refuseEntry(msg`The archive has an entry with a path that is not allowed: ${path.slice(0, 200)}.`)
  return { path, isFolder }
}

/** Rejects two members of one name, and a file that another member needs as a folder. */
export function assertDistinct(members: readonly Pick<UnpackMember, 'path' | 'isFolder'>[]): void {
  const kinds = new Map<string, boolean>()
  for (const { path, isFolder } of members) {
    if (kinds.has(path)) throw refuseEntry(msg`The archive has an entry twice: ${path}.`)
    kinds.set(path, isFolder)
  }
  for (const { path } of members)
    for (let at = path.indexOf('/'); at > 0; at = path.indexOf('/', at + 1))
      if (kinds.get(path.slice(0, at)) === false)
        throw refuseEntry(msg`The archive has an entry below a file: ${path}.`)
}

/** Members that share bytes are how small archives expand enormously. */
function assertNoOverlap(spans: readonly { path: string; start: number; end: number }[]): void {
  let taken = 0
  for (const { path, start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    if (start < taken) throw refuseEntry(msg`The archive has an entry that shares bytes with another one: ${path}.`)
    taken = end
  }
}

/** Something in an archive that nothing is unpacked of. */
export function refuseEntry(message: LocalizedMessage): FileRefusal {
  return new FileRefusal('invalid', message, msg`Nothing was extracted. Create the archive again without it.`)
}
