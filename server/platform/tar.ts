/** A member of a tar stream, header only. */
export interface TarHeader {
  name: string
  type: 'file' | 'directory' | 'other'
  size: number
  mode: number
  /** Seconds since 1970. */
  mtime: number
}

const block = 512
/** Largest size that eleven octal digits hold; above it a pax record says it. */
const mostOctal = 0o77777777777

/**
 * Reads a tar stream (ustar, pax and GNU long names), calling `onEntry` for each member in order.
 * When it returns a function, the member's bytes are handed to that in chunks; otherwise they are skipped.
 * The chunk function may return a promise; reading waits for it (back-pressure).
 * @returns after the last member; throws on a cut-off or damaged stream.
 */
export async function readTar(
  stream: AsyncIterable<Buffer>,
  onEntry: (header: TarHeader) => TarSink | null | Promise<TarSink | null>,
): Promise<void> {
  const source = new BlockSource(stream)
  let override: Partial<TarHeader> = {}
  for (;;) {
    const raw = await source.take(block)
    if (raw === null) throw new Error('The tar archive ends too early.')
    if (raw.every((byte) => byte === 0)) return
    const header = parseHeader(raw)
    const padded = Math.ceil(header.size / block) * block
    if (header.flag === 'x' || header.flag === 'g' || header.flag === 'L') {
      if (header.size > 1_048_576) throw new Error('The tar archive has an oversized header.')
      const body = (await source.take(padded))?.subarray(0, header.size)
      if (body === undefined) throw new Error('The tar archive ends too early.')
      if (header.flag === 'x') override = { ...override, ...parsePax(body) }
      if (header.flag === 'L') override = { ...override, name: body.toString('utf8').replace(/\0.*$/s, '') }
      continue
    }
    const { flag: _flag, ...plain } = header
    const entry: TarHeader = { ...plain, ...override }
    override = {}
    // Counts of bytes rely on it.
    if (!Number.isSafeInteger(entry.size) || entry.size < 0) throw new Error('The tar archive is damaged.')
    const sink = await onEntry(entry)
    let left = entry.size
    while (left > 0) {
      const chunk = await source.takeSome(left)
      if (chunk === null) throw new Error('The tar archive ends too early.')
      left -= chunk.length
      if (sink !== null) await sink.write(chunk)
    }
    await source.take(Math.ceil(entry.size / block) * block - entry.size)
    if (sink !== null) await sink.end()
  }
}

/** Receives one member's bytes. */
export interface TarSink {
  write(chunk: Buffer): void | Promise<void>
  end(): void | Promise<void>
}

/** The header block(s) of a member; a pax header goes before it when the name or size needs one. */
export function tarHeader(header: TarHeader): Buffer {
  const name = Buffer.byteLength(header.name) > 100 ? 'long' : header.name
  const parts: Buffer[] = []
  const records = [
    ...(name === header.name ? [] : [paxRecord('path', header.name)]),
    ...(header.size <= mostOctal ? [] : [paxRecord('size', String(header.size))]),
  ]
  if (records.length > 0) {
    const record = Buffer.concat(records)
    parts.push(ustar({ name: 'pax', flag: 'x', size: record.length, mode: 0o644, mtime: header.mtime }), pad(record))
  }
  const flag = header.type === 'directory' ? '5' : '0'
  const size = header.size <= mostOctal ? header.size : 0
  parts.push(ustar({ name, flag, size, mode: header.mode, mtime: header.mtime }))
  return Buffer.concat(parts)
}

/** Zero bytes that fill a member of `size` bytes up to the next block. */
export function tarPadding(size: number): Buffer {
  return Buffer.alloc(Math.ceil(size / block) * block - size)
}

/** Two empty blocks: the end of every tar archive. */
export const tarEnd: Buffer = Buffer.alloc(block * 2)

function pad(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, tarPadding(bytes.length)])
}

function paxRecord(key: string, value: string): Buffer {
  const tail = Buffer.from(` ${key}=${value}\n`)
  let length = tail.length
  while (String(length).length + tail.length !== length) length = String(length).length + tail.length
  return Buffer.concat([Buffer.from(String(length)), tail])
}

function ustar(header: { name: string; flag: string; size: number; mode: number; mtime: number }): Buffer {
  const bytes = Buffer.alloc(block)
  bytes.write(header.name, 0, 100)
  bytes.write(header.mode.toString(8).padStart(7, '0'), 100)
  bytes.write('0000000', 108)
  bytes.write('0000000', 116)
  bytes.write(header.size.toString(8).padStart(11, '0'), 124)
  bytes.write(Math.max(0, Math.floor(header.mtime)).toString(8).padStart(11, '0'), 136)
  bytes.write('        ', 148)
  bytes.write(header.flag, 156)
  bytes.write('ustar\u000000', 257)
  let sum = 0
  for (const byte of bytes) sum += byte
  bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return bytes
}

function parseHeader(raw: Buffer): TarHeader & { flag: string } {
  let sum = 8 * 32
  for (let at = 0; at < block; at += 1) if (at < 148 || at >= 156) sum += raw[at] ?? 0
  if (sum !== octal(raw, 148, 8)) throw new Error('The tar archive is damaged.')
  const flag = String.fromCharCode(raw[156] ?? 0)
  const prefix = raw.toString('latin1', 257, 262) === 'ustar' ? text(raw, 345, 155) : ''
  const name = (prefix === '' ? '' : `${prefix}/`) + text(raw, 0, 100)
  const type = flag === '5' ? 'directory' : flag === '0' || flag === '\0' ? 'file' : 'other'
  return { name, flag, type, size: octal(raw, 124, 12), mode: octal(raw, 100, 8) & 0o7777, mtime: octal(raw, 136, 12) }
}

function parsePax(body: Buffer): Partial<TarHeader> {
  const result: Partial<TarHeader> = {}
  let at = 0
  while (at < body.length) {
    // The length is short; looking for its end farther away would cost more the more of it there is.
    const digits = /^(\d{1,7}) /.exec(body.toString('latin1', at, at + 8))?.[1] ?? ''
    const length = Number(digits)
    const content = at + digits.length + 1
    if (digits === '' || at + length <= content || at + length > body.length)
      throw new Error('The tar archive is damaged.')
    const record = body.toString('utf8', content, at + length - 1)
    const equals = record.indexOf('=')
    const key = record.slice(0, equals)
    const value = record.slice(equals + 1)
    if (key === 'path') result.name = value
    if (key === 'size') result.size = Number.parseInt(value, 10)
    if (key === 'mtime') result.mtime = Number.parseFloat(value)
    at += length
  }
  return result
}

function text(raw: Buffer, at: number, length: number): string {
  const zero = raw.indexOf(0, at)
  return raw.toString('utf8', at, zero >= 0 && zero < at + length ? zero : at + length)
}

function octal(raw: Buffer, at: number, length: number): number {
  if (((raw[at] ?? 0) & 0x80) !== 0)
    return Number(raw.subarray(at + 1, at + length).reduce((sum, byte) => sum * 256n + BigInt(byte), 0n))
  const value = Number.parseInt(raw.toString('latin1', at, at + length).replace(/[\0 ].*$/s, ''), 8)
  return Number.isNaN(value) ? 0 : value
}

/** Hands out a stream's bytes in the sizes asked for. */
export class BlockSource {
  readonly #iterator: AsyncIterator<Buffer>
  #rest: Buffer = Buffer.alloc(0)
  constructor(stream: AsyncIterable<Buffer>) {
    this.#iterator = stream[Symbol.asyncIterator]()
  }

  /** Up to `limit` bytes, at least one; null at the end. */
  async takeSome(limit: number): Promise<Buffer | null> {
    while (this.#rest.length === 0) {
      const next = await this.#iterator.next()
      if (next.done === true) return null
      this.#rest = next.value
    }
    const chunk = this.#rest.subarray(0, limit)
    this.#rest = this.#rest.subarray(chunk.length)
    return chunk
  }

  /** Exactly `size` bytes; null when the stream ends before. */
  async take(size: number): Promise<Buffer | null> {
    const chunks: Buffer[] = []
    let left = size
    while (left > 0) {
      const chunk = await this.takeSome(left)
      if (chunk === null) return null
      left -= chunk.length
      chunks.push(chunk)
    }
    return chunks.length === 1 ? (chunks[0] ?? null) : Buffer.concat(chunks)
  }
}
