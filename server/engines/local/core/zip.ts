import { crc32 } from 'node:zlib'
import { buffer as collect } from 'node:stream/consumers'
import { fromBufferPromise, type Entry, type LocalFileHeader, type ZipFile } from 'yauzl'
import { assertDistinctNames, packageName } from './package-names.ts'

/** One member of a ZIP file. */
export interface ZipEntry {
  /** Path inside the archive with forward slashes; folders end in `/`. */
  name: string
  size: number
  /** The uncompressed bytes; throws if length or CRC-32 don't match the directory. */
  read(): Promise<Buffer>
}

// Constants of the format: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT, section 4.3.
const [endBytes, centralBytes] = [22, 46]
/** Position in the end record of the directory's offset. */
const directoryField = 16
const isEncrypted = 0x0001

/** A WordPress release has about 3,500 files of 100 MB in total, the largest of 3 MB. */
const most = { entries: 20_000, memberBytes: 32 * 1024 * 1024, totalBytes: 256 * 1024 * 1024 }
/** Release archives compress at about 4:1; a member beyond this ratio is a zip bomb. */
const maxRatio = 100

interface Member {
  readonly name: string
  readonly entry: Entry
  /** Start of its header, and end of its data. */
  readonly start: number
  readonly end: number
}

/**
 * Lists a ZIP archive in memory (stored and deflated members; no encryption, no ZIP64: WordPress releases need neither). The
 * archive is untrusted: directory and headers must match, members must not share bytes, and anything that is not a regular
 * file or folder, has an unsafe name, or expands too much is rejected before anything is unpacked.
 */
export async function readZip(archive: Buffer): Promise<ZipEntry[]> {
  const zip = await fromBufferPromise(archive, { decodeStrings: false }).catch((cause: unknown) => {
    throw new Error('This is no ZIP archive, or it is cut off.', { cause })
  })
  if (zip.entryCount > most.entries) throw new Error('The ZIP archive has too many members.')
  const members = await membersOf(zip, archive)
  assertDistinctNames(members.map(({ name }) => name))
  assertNoOverlap(members)
  return members.map(({ name, entry }) => ({
    name,
    size: entry.uncompressedSize,
    read: () => readMember(zip, name, entry),
  }))
}

async function membersOf(zip: ZipFile, archive: Buffer): Promise<Member[]> {
  const members: Member[] = []
  let total = 0
  let directoryBytes = 0
  for await (const entry of zip.eachEntry()) {
    const name = packageName(entry.fileNameRaw)
    assertPlain(name, entry)
    total += entry.uncompressedSize
    if (total > most.totalBytes) throw new Error('The ZIP archive expands too far.')
    const header = await zip.readLocalFileHeaderPromise(entry)
    assertSame(name, entry, header)
    directoryBytes += centralBytes + entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength
    members.push({
      name,
      entry,
      start: entry.relativeOffsetOfLocalHeader,
      end: header.fileDataStart + entry.compressedSize,
    })
  }
  // Members beyond the count are visible to readers that ignore it.
  const end = archive.length - endBytes - zip.comment.length
  if (archive.readUInt32LE(end + directoryField) + directoryBytes !== end)
    throw new Error('The ZIP directory is damaged.')
  return members
}

/** Allows only files and folders, without encryption, of limited size. */
function assertPlain(name: string, entry: Entry): void {
  if (entry.isEncrypted()) throw new Error(`The ZIP member ${name} is encrypted.`)
  const type = (entry.externalFileAttributes >>> 16) & 0o170000
  const isFolder = name.endsWith('/')
  // Writers on other systems than Unix leave it out.
  if (type !== 0 && type !== (isFolder ? 0o040000 : 0o100000))
    throw new Error(`The ZIP member ${name} is neither a file nor a folder.`)
  const { uncompressedSize: size, compressedSize: packed } = entry
  if (isFolder && size > 0) throw new Error(`The ZIP member ${name} is a folder with content.`)
  if (size > most.memberBytes || (size > 1_000_000 && size > packed * maxRatio))
    throw new Error(`The ZIP member ${name} expands too far.`)
}

/** A member's own header must match the directory: another reader may use that one. */
function assertSame(name: string, entry: Entry, header: LocalFileHeader): void {
  const isSame =
    header.fileName.equals(entry.fileNameRaw) &&
    header.compressionMethod === entry.compressionMethod &&
    (header.generalPurposeBitFlag & isEncrypted) === 0
  if (!isSame) throw new Error(`The ZIP member ${name} has two descriptions.`)
}

/** Rejects members that share the same data, which is how small archives expand enormously. */
function assertNoOverlap(members: readonly Member[]): void {
  let taken = 0
  for (const { name, start, end } of members.toSorted((a, b) => a.start - b.start)) {
    if (start < taken) throw new Error(`The ZIP member ${name} shares bytes with another one.`)
    taken = end
  }
}

async function readMember(zip: ZipFile, name: string, entry: Entry): Promise<Buffer> {
  const damaged = (cause?: unknown) => new Error(`The ZIP member ${name} is damaged.`, { cause })
  // The stream fails as soon as it has more bytes than the directory says.
  const bytes = await zip
    .openReadStreamPromise(entry)
    .then(collect)
    .catch((error: unknown) => {
      throw damaged(error)
    })
  if (bytes.length !== entry.uncompressedSize || crc32(bytes) !== entry.crc32) throw damaged()
  return bytes
}
