import { once } from 'node:events'
import { pipeline } from 'node:stream/promises'
import { extract, pack, type Extract, type Header, type Pack } from 'tar-stream'

/** A member of a tar stream, header only. */
export interface TarHeader {
  name: string
  type: 'file' | 'directory' | 'other'
  size: number
  mode: number
  /** Seconds since 1970. */
  mtime: number
}

/** Receives one member's bytes. */
export interface TarSink {
  write(chunk: Buffer): void | Promise<void>
  end(): void | Promise<void>
}

/** A member to pack; the content of a file must have exactly `header.size` bytes. */
export interface TarMember {
  readonly header: TarHeader
  readonly content: Iterable<Buffer> | AsyncIterable<Buffer>
}

/** Bytes. */
const largePiece = 262_144

/** Latest time that fits into a header of tar-stream, which uses 32 bits; later ones go into a pax header. */
const latestTime = 0x7fffffff

/**
 * Reads a tar stream (ustar, pax and GNU long names) to its end, member by member; the content of each must be read before the next one.
 * Names are not validated: the caller must do so.
 * @param encoding of names; with `latin1` each character of one stands for a byte
 * @throws `The tar archive …` if it is truncated or damaged; errors of the stream unchanged
 */
export async function* tarMembers(
  stream: AsyncIterable<Buffer>,
  encoding: 'utf8' | 'latin1' = 'utf8',
): AsyncGenerator<TarMember, void, undefined> {
  // Its types lack this option.
  const options: Parameters<typeof extract>[0] & { filenameEncoding: string } = { filenameEncoding: encoding }
  const parser = extract(options)
  let ofSource: unknown = null
  void writeInto(stream, parser, (error) => {
    ofSource = error
  })
  // A member that is cut off only says that its stream ended.
  const contentOf = async function* (entry: AsyncIterable<unknown>): AsyncGenerator<Buffer, void, undefined> {
    try {
      yield* bytesOf(entry)
    } catch (error) {
      throw ofSource ?? explained(error)
    }
  }
  try {
    for await (const entry of parser) {
      // A directory has no content, whatever its header says; tar-stream would wait for it forever.
      if (entry.header.type === 'directory') entry.header.size = 0
      yield { header: headerOf(entry.header), content: contentOf(entry) }
    }
  } catch (error) {
    throw explained(error)
  } finally {
    parser.destroy(null)
  }
}

/**
 * Reads a tar stream (ustar, pax and GNU long names) to its end, calling `onEntry` for each member in order. If it returns a
 * sink, the member's bytes are written to it in chunks; otherwise they are skipped. Promises are awaited (back-pressure).
 * Names are not validated: the caller must do so.
 * @throws `The tar archive …` if it is truncated or damaged; errors of the stream and of `onEntry` unchanged
 */
export async function readTar(
  stream: AsyncIterable<Buffer>,
  onEntry: (header: TarHeader) => TarSink | null | Promise<TarSink | null>,
): Promise<void> {
  for await (const { header, content } of tarMembers(stream)) {
    const sink = await onEntry(header)
    for await (const chunk of content) await sink?.write(chunk)
    await sink?.end()
  }
}

/** Passes a stream on without closing it early: its owner closes it. */
async function writeInto(
  stream: AsyncIterable<Buffer>,
  parser: Extract,
  onError: (error: unknown) => void,
): Promise<void> {
  const closed = new AbortController()
  parser.once('close', () => closed.abort())
  const chunks = stream[Symbol.asyncIterator]()
  try {
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
      if (closed.signal.aborted) return
      if (!parser.write(next.value)) await once(parser, 'drain', { signal: closed.signal })
    }
    parser.end(null)
  } catch (error) {
    onError(error)
    parser.destroy(error instanceof Error ? error : new Error('The stream failed.', { cause: error }))
  }
}

function headerOf({ name, type, size, mode, mtime, pax }: Header): TarHeader {
  // Byte counts rely on it, and tar-stream accepts impossible sizes.
  if (!Number.isSafeInteger(size) || size < 0) throw new Error('The tar archive is damaged.')
  return {
    name,
    type: type === 'file' || type === 'directory' ? type : 'other',
    size,
    mode: mode & 0o7777,
    mtime: paxTime(pax) ?? mtime.getTime() / 1000,
  }
}

/** The time in a pax header, which may be later and more precise than the plain one. */
function paxTime(pax: unknown): number | null {
  if (typeof pax !== 'object' || pax === null || !('mtime' in pax)) return null
  const seconds = Number.parseFloat(String(pax.mtime))
  return Number.isFinite(seconds) ? seconds : null
}

/** tar-stream types its chunks as unknown. */
async function* bytesOf(stream: AsyncIterable<unknown>): AsyncGenerator<Buffer, void, undefined> {
  for await (const chunk of stream) if (Buffer.isBuffer(chunk)) yield chunk
}

function explained(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  if (error.message === 'Unexpected end of data') return new Error('The tar archive ends too early.', { cause: error })
  if (/^(?:Invalid (?:tar )?header|Header exceeds max size)/.test(error.message))
    return new Error('The tar archive is damaged.', { cause: error })
  return error
}

/** Packs members into a tar stream. Rethrows their errors, and throws if a content doesn't match the size in its header. */
export async function* packTar(
  members: Iterable<TarMember> | AsyncIterable<TarMember>,
): AsyncGenerator<Buffer, void, undefined> {
  const packer = pack()
  const writing = writeMembers(packer, members).catch((error: unknown) => {
    packer.destroy(error instanceof Error ? error : new Error('A member failed.', { cause: error }))
  })
  try {
    yield* inLargePieces(bytesOf(packer))
  } finally {
    packer.destroy(null)
    await writing
  }
}

/** The block that a member begins with whose content is somebody else's to add. Its name has at most 100 bytes. */
export async function tarHeader(header: TarHeader): Promise<Buffer> {
  const packer = pack()
  // It is not finished.
  packer.entry(entryOf(header)).once('error', () => undefined)
  for await (const block of bytesOf(packer)) return block
  throw new Error(`The tar archive has no member ${header.name}.`)
}

/** Each piece costs who compresses it a way to another thread and back, and most files of a WordPress are small. */
async function* inLargePieces(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  let waiting: Buffer[] = []
  let bytes = 0
  for await (const piece of pieces) {
    waiting.push(piece)
    bytes += piece.length
    if (bytes < largePiece) continue
    yield Buffer.concat(waiting)
    waiting = []
    bytes = 0
  }
  if (bytes > 0) yield Buffer.concat(waiting)
}

async function writeMembers(packer: Pack, members: Iterable<TarMember> | AsyncIterable<TarMember>): Promise<void> {
  for await (const { header, content } of members) {
    if (header.type !== 'file') packer.entry(entryOf(header))
    else if (Array.isArray(content)) await writeEntry(packer, header, content)
    else await pipeline(content, packer.entry(entryOf(header)))
  }
  packer.finalize()
}

/** What is in memory already needs no pipeline, which costs more than the bytes of a small file. */
function writeEntry(packer: Pack, header: TarHeader, content: readonly Buffer[]): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const entry = packer.entry(entryOf(header), (error) => (error ? reject(error) : resolve()))
  entry.once('error', reject)
  for (const piece of content) entry.write(piece)
  entry.end(null)
  return promise
}

function entryOf({ name, type, size, mode, mtime }: TarHeader): Partial<Header> & { name: string } {
  const isLate = mtime > latestTime
  return {
    name,
    type: type === 'directory' ? 'directory' : 'file',
    size,
    // Without the file type, tar-stream treats a mode of 0 as not given.
    mode: mode | 0o100000,
    mtime: new Date(Math.max(0, Math.min(mtime, latestTime)) * 1000),
    ...(isLate ? { pax: { mtime: String(mtime) } } : {}),
  }
}
