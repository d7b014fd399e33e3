import { promisify } from 'node:util'
import { crc32, inflateRaw } from 'node:zlib'

const inflate = promisify(inflateRaw)

/** One member of a ZIP file. */
export interface ZipEntry {
  /** Path inside the archive with forward slashes; folders end in `/`. */
  name: string
  size: number
  /** The uncompressed bytes; throws when length or CRC-32 do not match the directory. */
  read(): Promise<Buffer>
}

const endSignature = 0x06054b50
const centralSignature = 0x02014b50
const localSignature = 0x04034b50
const maxEntries = 200_000
/** Release archives compress about 4 : 1; a member past this is a bomb. */
const maxRatio = 100

/**
 * Lists a ZIP archive held in memory (stored and deflated members; no encryption, no ZIP64:
 * WordPress releases need neither). Names are checked: none is absolute or climbs out.
 */
export function readZip(archive: Buffer): ZipEntry[] {
  const end = findEnd(archive)
  const count = archive.readUInt16LE(end + 10)
  if (count > maxEntries) throw new Error('The ZIP archive has too many members.')
  const entries: ZipEntry[] = []
  let at = archive.readUInt32LE(end + 16)
  for (let index = 0; index < count; index += 1) {
    if (archive.readUInt32LE(at) !== centralSignature) throw new Error('The ZIP directory is damaged.')
    const method = archive.readUInt16LE(at + 10)
    const crc = archive.readUInt32LE(at + 16)
    const packed = archive.readUInt32LE(at + 20)
    const size = archive.readUInt32LE(at + 24)
    const nameLength = archive.readUInt16LE(at + 28)
    const next = at + 46 + nameLength + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32)
    const offset = archive.readUInt32LE(at + 42)
    const name = archive.toString('utf8', at + 46, at + 46 + nameLength)
    assertSafePath(name)
    if (size > 1_000_000 && size > packed * maxRatio) throw new Error(`The ZIP member ${name} expands too far.`)
    entries.push({ name, size, read: () => readMember(archive, { name, method, crc, packed, size, offset }) })
    at = next
  }
  return entries
}

/** Throws unless `name` is a relative path that stays inside the folder it is unpacked to. */
export function assertSafePath(name: string): void {
  const bad =
    name === '' ||
    name.startsWith('/') ||
    name.includes('\\') ||
    name.includes('\0') ||
    name.split('/').includes('..') ||
    /^[a-zA-Z]:/.test(name)
  if (bad) throw new Error(`The archive holds an unsafe path: ${JSON.stringify(name)}`)
}

function findEnd(archive: Buffer): number {
  const lowest = Math.max(0, archive.length - 65_557)
  for (let at = archive.length - 22; at >= lowest; at -= 1) {
    if (archive.readUInt32LE(at) === endSignature) return at
  }
  throw new Error('This is no ZIP archive, or it is cut off.')
}

interface Member {
  name: string
  method: number
  crc: number
  packed: number
  size: number
  offset: number
}

async function readMember(archive: Buffer, member: Member): Promise<Buffer> {
  const { offset, name } = member
  if (archive.readUInt32LE(offset) !== localSignature) throw new Error(`The ZIP member ${name} is damaged.`)
  const start = offset + 30 + archive.readUInt16LE(offset + 26) + archive.readUInt16LE(offset + 28)
  const raw = archive.subarray(start, start + member.packed)
  if (member.method !== 0 && member.method !== 8) throw new Error(`The ZIP member ${name} uses an unknown compression.`)
  const bytes = member.method === 0 ? raw : await inflate(raw, { maxOutputLength: Math.max(1, member.size) })
  if (bytes.length !== member.size || crc32(bytes) !== member.crc) throw new Error(`The ZIP member ${name} is damaged.`)
  return bytes
}
