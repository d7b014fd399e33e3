import { createHash } from 'node:crypto'

/** Average bytes of a piece are 2 to the power of this, at least and at most. */
const [leastBits, mostBits] = [11, 20]
/** Pieces of an archive for which lists of them stay small. */
const fewPieces = 524_288

/** More pieces of a backup are not listed: content can be made so that it falls into many more than usual. */
export const maxPieces = 2 * fewPieces

/** How finely an archive of so many bytes, unpacked, is cut. */
export function bitsFor(bytes: number): number {
  let bits = leastBits
  while (bits < mostBits && bytes / 2 ** bits > fewPieces) bits += 1
  return bits
}

/** A number for each value of a byte, always the same ones: content is cut at the same places everywhere. */
const gear = Uint32Array.from({ length: 256 }, (_, value) =>
  createHash('sha256').update(`cut ${value}`).digest().readUInt32LE(),
)

/**
 * Cuts a stream into pieces where its content says so, so that what is inserted or removed changes only the pieces around it
 * (content-defined chunking by a gear hash). A piece is to be used before the next one is asked for.
 */
export async function* cutContent(
  stream: AsyncIterable<Buffer>,
  bits: number,
): AsyncGenerator<Buffer, void, undefined> {
  const longest = 2 ** (bits + 2)
  let waiting: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream) {
    waiting.push(chunk)
    bytes += chunk.length
    if (bytes < 2 * longest) continue
    let rest = Buffer.concat(waiting)
    while (rest.length >= longest) {
      const end = endOfPiece(rest, bits)
      yield rest.subarray(0, end)
      rest = rest.subarray(end)
    }
    waiting = [rest]
    bytes = rest.length
  }
  for (let rest = Buffer.concat(waiting); rest.length > 0;) {
    const end = endOfPiece(rest, bits)
    yield rest.subarray(0, end)
    rest = rest.subarray(end)
  }
}

/** Where the first piece of some content ends. */
function endOfPiece(content: Buffer, bits: number): number {
  const end = Math.min(content.length, 2 ** (bits + 2))
  const mask = ((1 << bits) - 1) << (32 - bits)
  let hash = 0
  for (let at = 2 ** (bits - 2); at < end; at += 1) {
    hash = ((hash << 1) + (gear[content[at] ?? 0] ?? 0)) | 0
    if ((hash & mask) === 0) return at + 1
  }
  return end
}
