import { isUtf8 } from 'node:buffer'
import { crc32, createDeflateRaw } from 'node:zlib'
import { Readable } from 'node:stream'

/** A file or folder of a new ZIP archive. */
export interface ZipContent {
  /** Path with slashes; folders end in one. Bytes that are not UTF-8 stay as they are. */
  readonly name: Buffer
  /** Unix type and permissions. */
  readonly mode: number
  readonly modified: Date
  /** Empty for folders. */
  readonly content: Iterable<Buffer> | AsyncIterable<Buffer>
}

/** A file or archive is larger than the format's classic fields hold. */
export class ZipTooLargeError extends Error {
  constructor() {
    super('A file of 4 GB or more cannot be put into a ZIP archive.')
    this.name = 'ZipTooLargeError'
  }
}

// Constants of the format: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT, section 4.3.
const [max16, max32] = [0xffff, 0xffffffff]
const [fitsVersion, needs64] = [20, 45]
/** Sizes follow the data, and the name is UTF-8. */
const flags = { sizesFollow: 0x0008, utf8: 0x0800 }
const deflated = 8

/** Bytes of a name, which the format counts with 16 bits. */
export const longestZipName = max16

interface Written {
  readonly head: Buffer
  readonly name: Buffer
  readonly mode: number
  readonly offset: number
}

/**
 * Writes a ZIP archive while its files are read: nothing is known in advance and nothing is kept but the directory. More than
 * 65,535 entries and archives over 4 GB use the format's 64-bit fields; single files must be smaller.
 */
export async function* writeZip(
  contents: Iterable<ZipContent> | AsyncIterable<ZipContent>,
): AsyncGenerator<Buffer, void, undefined> {
  const directory: Written[] = []
  let offset = 0
  for await (const { name, mode, modified, content } of contents) {
    const isFolder = name.at(-1) === 0x2f
    const start = offset
    const head = headOf(name, modified, isFolder)
    const local = Buffer.concat([signature(0x04034b50), head, lengths(name), name])
    yield local
    offset += local.length
    let [sum, size, packed] = [0, 0, 0]
    const counted = async function* (): AsyncGenerator<Buffer> {
      for await (const piece of content) {
        sum = crc32(piece, sum)
        size += piece.length
        yield piece
      }
    }
    if (!isFolder)
      for await (const chunk of Readable.from(counted(), { objectMode: false }).pipe(
        createDeflateRaw(),
      ) as AsyncIterable<Buffer>) {
        packed += chunk.length
        offset += chunk.length
        yield chunk
      }
    if (size >= max32 || packed >= max32) throw new ZipTooLargeError()
    const sums = Buffer.alloc(12)
    sums.writeUInt32LE(sum, 0)
    sums.writeUInt32LE(packed, 4)
    sums.writeUInt32LE(size, 8)
    if (!isFolder) {
      const after = Buffer.concat([signature(0x08074b50), sums])
      yield after
      offset += after.length
    }
    sums.copy(head, 10)
    directory.push({ head, name, mode, offset: start })
  }
  let bytes = 0
  for (const written of directory) {
    const record = centralRecord(written)
    yield record
    bytes += record.length
  }
  yield endRecords(directory.length, bytes, offset)
}

function signature(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

/** The part that a member's own header and the directory share: version, flags, method, time, sums. */
function headOf(name: Buffer, modified: Date, isFolder: boolean): Buffer {
  const head = Buffer.alloc(22)
  head.writeUInt16LE(fitsVersion, 0)
  head.writeUInt16LE((isFolder ? 0 : flags.sizesFollow) | (isUtf8(name) ? flags.utf8 : 0), 2)
  head.writeUInt16LE(isFolder ? 0 : deflated, 4)
  const year = Math.min(Math.max(modified.getUTCFullYear(), 1980), 2107)
  head.writeUInt16LE(
    (modified.getUTCHours() << 11) | (modified.getUTCMinutes() << 5) | (modified.getUTCSeconds() >> 1),
    6,
  )
  head.writeUInt16LE(((year - 1980) << 9) | ((modified.getUTCMonth() + 1) << 5) | modified.getUTCDate(), 8)
  return head
}

function lengths(name: Buffer, extra = 0): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt16LE(name.length, 0)
  bytes.writeUInt16LE(extra, 2)
  return bytes
}

function centralRecord({ head, name, mode, offset }: Written): Buffer {
  const isFar = offset >= max32
  const extra = Buffer.alloc(isFar ? 12 : 0)
  if (isFar) {
    extra.writeUInt16LE(0x0001, 0)
    extra.writeUInt16LE(8, 2)
    extra.writeBigUInt64LE(BigInt(offset), 4)
  }
  const rest = Buffer.alloc(14)
  rest.writeUInt32LE((mode << 16) >>> 0, 6)
  rest.writeUInt32LE(Math.min(offset, max32), 10)
  const madeBy = Buffer.from([isFar ? needs64 : fitsVersion, 3])
  return Buffer.concat([signature(0x02014b50), madeBy, head, lengths(name, extra.length), rest, name, extra])
}

function endRecords(count: number, bytes: number, start: number): Buffer {
  const needsMore = count >= max16 || bytes >= max32 || start >= max32
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(Math.min(count, max16), 8)
  end.writeUInt16LE(Math.min(count, max16), 10)
  end.writeUInt32LE(Math.min(bytes, max32), 12)
  end.writeUInt32LE(Math.min(start, max32), 16)
  if (!needsMore) return end
  const end64 = Buffer.alloc(56)
  end64.writeUInt32LE(0x06064b50, 0)
  end64.writeBigUInt64LE(44n, 4)
  end64.writeUInt16LE(needs64, 12)
  end64.writeUInt16LE(needs64, 14)
  end64.writeBigUInt64LE(BigInt(count), 24)
  end64.writeBigUInt64LE(BigInt(count), 32)
  end64.writeBigUInt64LE(BigInt(bytes), 40)
  end64.writeBigUInt64LE(BigInt(start), 48)
  const locator = Buffer.alloc(20)
  locator.writeUInt32LE(0x07064b50, 0)
  locator.writeBigUInt64LE(BigInt(start + bytes), 8)
  locator.writeUInt32LE(1, 16)
  return Buffer.concat([end64, locator, end])
}
