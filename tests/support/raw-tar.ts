/** Writes tar streams piece by piece, including malformed ones, for tests of the reader. */
import type { TarHeader } from '#server/platform/files/tar.ts'

const block = 512
/** Maximum size in eleven octal digits; larger sizes need a pax record. */
const maxOctal = 0o77777777777

/** Header block(s) of a member; preceded by a pax header if the name or size needs one. */
export function tarHeader(header: TarHeader): Buffer {
  const name = Buffer.byteLength(header.name) > 100 ? 'long' : header.name
  const parts: Buffer[] = []
  const records = [
    ...(name === header.name ? [] : [paxRecord('path', header.name)]),
    ...(header.size <= maxOctal ? [] : [paxRecord('size', String(header.size))]),
  ]
  if (records.length > 0) {
    const record = Buffer.concat(records)
    parts.push(ustar({ name: 'pax', flag: 'x', size: record.length, mode: 0o644, mtime: header.mtime }), pad(record))
  }
  const flag = header.type === 'directory' ? '5' : '0'
  const size = header.size <= maxOctal ? header.size : 0
  parts.push(ustar({ name, flag, size, mode: header.mode, mtime: header.mtime }))
  return Buffer.concat(parts)
}

/** Zero bytes that pad a member of `size` bytes to the next block. */
export function tarPadding(size: number): Buffer {
  return Buffer.alloc(Math.ceil(size / block) * block - size)
}

/** Two empty blocks: the end of every tar archive. */
export const tarEnd: Buffer = Buffer.alloc(block * 2)

/** Bytes with their padding. */
export function pad(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, tarPadding(bytes.length)])
}

function paxRecord(key: string, value: string): Buffer {
  const tail = Buffer.from(` ${key}=${value}\n`)
  let length = tail.length
  while (String(length).length + tail.length !== length) length = String(length).length + tail.length
  return Buffer.concat([Buffer.from(String(length)), tail])
}

/** One header block of 512 bytes; `flag` is the member's type: '0' a file, '2' a link, 'x' a pax header. */
export function ustar(header: {
  name: string
  flag: string
  size: number
  mode: number
  mtime: number
  /** Raw bytes of the size field, if it isn't in octal digits. */
  rawSize?: Buffer
}): Buffer {
  const bytes = Buffer.alloc(block)
  bytes.write(header.name, 0, 100)
  bytes.write(header.mode.toString(8).padStart(7, '0'), 100)
  bytes.write('0000000', 108)
  bytes.write('0000000', 116)
  bytes.write(header.size.toString(8).padStart(11, '0'), 124)
  header.rawSize?.copy(bytes, 124)
  bytes.write(Math.max(0, Math.floor(header.mtime)).toString(8).padStart(11, '0'), 136)
  bytes.write('        ', 148)
  bytes.write(header.flag, 156)
  bytes.write('ustar\u000000', 257)
  let sum = 0
  for (const byte of bytes) sum += byte
  bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return bytes
}
