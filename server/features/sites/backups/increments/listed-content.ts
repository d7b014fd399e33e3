import { createHash } from 'node:crypto'
import type { TarPiece, TarRange } from '#server/engines/site-backups.ts'
import { bitsFor, cutContent, maxPieces } from './cut-content.ts'
import { comparison, namedBy, nameOf, type Compared, type KnownContent } from './known-content.ts'

/** A backup that was compared by what is known of its tar, whose contents are not here. */
export interface ListedContent {
  readonly compared: Omit<Compared, 'sha256'>
  /** What is new, in the order of the tar. */
  readonly ranges: readonly TarRange[]
}

/** What a full archive consists of by a list of that; null if it has too many pieces. */
export async function listedContent(name: string, tar: Iterable<TarPiece>): Promise<KnownContent | null> {
  const pieces: KnownContent['pieces'][number][] = []
  let offset = 0
  for await (const [content, bytes] of namedPieces(tar)) {
    if (pieces.length === maxPieces) return null
    pieces.push([content, 0, offset, bytes])
    offset += bytes
  }
  return { bits: null, archives: [name], pieces }
}

/** Compares the list of what a backup consists of with what is known of an earlier one; null if it has too many pieces. */
export async function compareListed(
  name: string,
  tar: Iterable<TarPiece>,
  known: KnownContent,
): Promise<ListedContent | null> {
  const compared = comparison(name, known)
  const ranges: { offset: number; length: number }[] = []
  let offset = 0
  for await (const [content, bytes] of namedPieces(tar)) {
    if (compared.add(content, bytes)) {
      const last = ranges.at(-1)
      if (last && last.offset + last.length === offset) last.length += bytes
      else ranges.push({ offset, length: bytes })
    } else if (compared.isTooLong()) return null
    offset += bytes
  }
  return { compared: compared.result(), ranges }
}

/** The name of each piece, '' for one that nobody can know, and its bytes. What is here is cut by its content. */
async function* namedPieces(tar: Iterable<TarPiece>): AsyncGenerator<readonly [string, number], void, undefined> {
  for (const piece of tar) {
    if (piece.kind === 'own')
      for await (const part of cutContent(piece.open(), bitsFor(piece.bytes))) yield [nameOf(part), part.length]
    else if (piece.bytes > 0) yield [nameOfPiece(piece), piece.bytes]
  }
}

function nameOfPiece(piece: Exclude<TarPiece, { kind: 'own' }>): string {
  if (piece.kind === 'unknown') return ''
  if (piece.kind === 'content') return namedBy(Buffer.from(piece.sha256, 'hex').toString('base64url'))
  // Content has another name, whatever it is.
  return namedBy(`#${createHash('sha256').update(piece.says).digest('base64url')}`)
}
