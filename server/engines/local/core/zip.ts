import { promisify } from 'node:util'
import { crc32, inflateRaw } from 'node:zlib'
import { assertDistinct, packageName } from './package-names.ts'

const inflate = promisify(inflateRaw)

/** One member of a ZIP file. */
export interface ZipEntry {
  /** Path inside the archive with forward slashes; folders end in `/`. */
  name: string
  size: number
  /** The uncompressed bytes; throws when length or CRC-32 do not match the directory. */
  read(): Promise<Buffer>
}

// Numbers of the format: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT, section 4.3.
const endSignature = 0x06054b50
const centralSignature = 0x02014b50
const localSignature = 0x04034b50
const [endBytes, centralBytes, localBytes] = [22, 46, 30]
const isEncrypted = 0x0001

/** A release of WordPress has about 3,500 files of 100 MB in all, the largest of 3 MB. */
const most = { entries: 20_000, memberBytes: 32 * 1024 * 1024, totalBytes: 256 * 1024 * 1024 }
/** Release archives compress about 4 : 1; a member past this is a bomb. */
const maxRatio = 100

interface Member {
  name: string
  method: number
  crc: number
  packed: number
  size: number
  /** Where its header begins, and its data. */
  offset: number
  start: number
}

/**
 * Lists a ZIP archive held in memory (stored and deflated members; no encryption, no ZIP64: WordPress releases need
 * neither). The archive may come from anybody: directory and headers must say the same, members may not share bytes, and
 * what is no plain file or folder, is named unsafely, or expands too far is refused before anything is unpacked.
 */
export function readZip(archive: Buffer): ZipEntry[] {
  const members = inBounds(() => membersOf(archive))
  assertDistinct(members.map(({ name }) => name))
  assertApart(members)
  return members.map((member) => ({ name: member.name, size: member.size, read: () => readMember(archive, member) }))
}

/** Numbers of a damaged archive lead anywhere; whatever lies outside of it is damage, too. */
function inBounds<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof RangeError) throw new Error('The ZIP archive is damaged.', { cause: error })
    throw error
  }
}

function membersOf(archive: Buffer): Member[] {
  const end = findEnd(archive)
  const count = archive.readUInt16LE(end + 10)
  if (count > most.entries) throw new Error('The ZIP archive has too many members.')
  const members: Member[] = []
  let total = 0
  let at = archive.readUInt32LE(end + 16)
  for (let index = 0; index < count; index += 1) {
    const nameLength = archive.readUInt16LE(at + 28)
    const member = memberAt(archive, at)
    total += member.size
    if (total > most.totalBytes) throw new Error('The ZIP archive expands too far.')
    members.push(member)
    at += centralBytes + nameLength + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32)
  }
  if (at !== end) throw new Error('The ZIP directory is damaged.')
  return members
}

function memberAt(archive: Buffer, at: number): Member {
  if (archive.readUInt32LE(at) !== centralSignature) throw new Error('The ZIP directory is damaged.')
  const name = packageName(sliceOf(archive, at + centralBytes, archive.readUInt16LE(at + 28)))
  const member = {
    name,
    method: archive.readUInt16LE(at + 10),
    crc: archive.readUInt32LE(at + 16),
    packed: archive.readUInt32LE(at + 20),
    size: archive.readUInt32LE(at + 24),
    offset: archive.readUInt32LE(at + 42),
  }
  assertPlain(archive, at, member)
  if (member.size > most.memberBytes || (member.size > 1_000_000 && member.size > member.packed * maxRatio))
    throw new Error(`The ZIP member ${name} expands too far.`)
  return { ...member, start: dataOf(archive, at, member) }
}

/** Nothing but files and folders, readable without a password. */
function assertPlain(archive: Buffer, at: number, { name, size }: Pick<Member, 'name' | 'size'>): void {
  if ((archive.readUInt16LE(at + 8) & isEncrypted) !== 0) throw new Error(`The ZIP member ${name} is encrypted.`)
  const type = (archive.readUInt32LE(at + 38) >>> 16) & 0o170000
  const isFolder = name.endsWith('/')
  // Writers that are not from Unix leave it out.
  if (type !== 0 && type !== (isFolder ? 0o040000 : 0o100000))
    throw new Error(`The ZIP member ${name} is neither a file nor a folder.`)
  if (isFolder && size > 0) throw new Error(`The ZIP member ${name} is a folder with content.`)
}

/** Where a member's data begins. Its own header must say the same as the directory: another reader may believe that one. */
function dataOf(archive: Buffer, at: number, { name, method, offset }: Omit<Member, 'start'>): number {
  if (archive.readUInt32LE(offset) !== localSignature) throw new Error(`The ZIP member ${name} is damaged.`)
  const nameLength = archive.readUInt16LE(offset + 26)
  const sameName = sliceOf(archive, offset + localBytes, nameLength).equals(
    sliceOf(archive, at + centralBytes, archive.readUInt16LE(at + 28)),
  )
  const isSame =
    sameName && archive.readUInt16LE(offset + 8) === method && (archive.readUInt16LE(offset + 6) & isEncrypted) === 0
  if (!isSame) throw new Error(`The ZIP member ${name} has two descriptions.`)
  return offset + localBytes + nameLength + archive.readUInt16LE(offset + 28)
}

function sliceOf(archive: Buffer, start: number, length: number): Buffer {
  if (start + length > archive.length) throw new RangeError('Outside of the archive.')
  return archive.subarray(start, start + length)
}

/** One piece of data that is many members is how small archives get large. */
function assertApart(members: readonly Member[]): void {
  let taken = 0
  for (const { name, offset, start, packed } of members.toSorted((a, b) => a.offset - b.offset)) {
    if (offset < taken) throw new Error(`The ZIP member ${name} shares bytes with another one.`)
    taken = start + packed
  }
}

function findEnd(archive: Buffer): number {
  const lowest = Math.max(0, archive.length - endBytes - 0xffff)
  for (let at = archive.length - endBytes; at >= lowest; at -= 1) {
    // The end record is the last thing but its comment: a signature within that is none.
    if (archive.readUInt32LE(at) === endSignature && at + endBytes + archive.readUInt16LE(at + 20) === archive.length)
      return at
  }
  throw new Error('This is no ZIP archive, or it is cut off.')
}

async function readMember(archive: Buffer, { name, method, crc, packed, size, start }: Member): Promise<Buffer> {
  if (method !== 0 && method !== 8) throw new Error(`The ZIP member ${name} uses an unknown compression.`)
  const damaged = (cause?: unknown) => new Error(`The ZIP member ${name} is damaged.`, { cause })
  const raw = inBounds(() => sliceOf(archive, start, packed))
  const bytes =
    method === 0
      ? raw
      : await inflate(raw, { maxOutputLength: Math.max(1, size) }).catch((error: unknown) => {
          throw damaged(error)
        })
  if (bytes.length !== size || crc32(bytes) !== crc) throw damaged()
  return bytes
}
