import { createHash, hash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { cutContent, maxPieces } from './cut-content.ts'

/** Where a piece of content lies: bytes of an unpacked archive (a number of `archives`). */
type Piece = readonly [name: string, archive: number, offset: number, length: number]

/** What a backup consists of, and where each piece of it lies. */
export interface KnownContent {
  /** How finely it was cut, see `bitsFor`. */
  readonly bits: number
  /** Names of the backups whose archives have it. */
  readonly archives: readonly string[]
  readonly pieces: readonly Piece[]
}

/** Bytes of an unpacked archive that follow on one another in a backup. */
export interface Run {
  archive: string
  offset: number
  length: number
}

/** A backup whose content was compared with that of another one. */
export interface Compared {
  /** Bytes of all its content, and their SHA-256. */
  readonly bytes: number
  readonly sha256: string
  /** Bytes of it that earlier archives have. */
  readonly sharedBytes: number
  /** Bytes that are new; of what it has twice, those of one. */
  readonly newBytes: number
  readonly content: KnownContent
}

/** 128 bits of its SHA-256. Two of one name would show at the sum of what is put together. */
const nameOf = (piece: Buffer): string => hash('sha256', piece, 'base64url').slice(0, 22)

/** What a full archive of a backup contains, which is read to its end; null if it has too many pieces. */
export async function contentOf(name: string, tar: AsyncIterable<Buffer>, bits: number): Promise<KnownContent | null> {
  const pieces: Piece[] = []
  let offset = 0
  for await (const piece of cutContent(tar, bits)) {
    if (pieces.length <= maxPieces) pieces.push([nameOf(piece), 0, offset, piece.length])
    offset += piece.length
  }
  return pieces.length <= maxPieces ? { bits, archives: [name], pieces } : null
}

/**
 * Compares a backup with what is known of an earlier one; writes what is new to a file, in the order of the backup. Offsets of new content
 * are those in that file. Null if it has too many pieces.
 */
export async function compareContent(
  name: string,
  tar: AsyncIterable<Buffer>,
  { bits, archives, pieces: before }: KnownContent,
  added: Pick<FileHandle, 'appendFile'>,
): Promise<Compared | null> {
  const known = new Map(before.map((piece) => [piece[0], piece]))
  const own = archives.length
  const pieces: Piece[] = []
  const sum = createHash('sha256')
  let [bytes, sharedBytes, newBytes] = [0, 0, 0]
  for await (const piece of cutContent(tar, bits)) {
    if (pieces.length === maxPieces) return null
    sum.update(piece)
    bytes += piece.length
    const content = nameOf(piece)
    const found = known.get(content)
    const placed = found ?? ([content, own, newBytes, piece.length] as const)
    pieces.push(placed)
    if (placed[1] !== own) sharedBytes += piece.length
    if (found) continue
    known.set(content, placed)
    newBytes += piece.length
    await added.appendFile(piece)
  }
  return {
    ...{ bytes, sharedBytes, newBytes, sha256: sum.digest('hex') },
    content: { bits, archives: [...archives, name], pieces },
  }
}

/** The same content after its own new bytes got a place in its archive; archives that are not needed are left out. */
export function placed({ bits, archives, pieces }: KnownContent, offset: number): KnownContent {
  const own = archives.length - 1
  const needed = [...new Set([...pieces.map(([, archive]) => archive), own])].toSorted((a, b) => a - b)
  const numbers = new Map(needed.map((archive, number) => [archive, number]))
  return {
    bits,
    archives: needed.map((archive) => archives[archive] ?? ''),
    pieces: pieces.map(([name, archive, at, length]) => [
      name,
      numbers.get(archive) ?? 0,
      archive === own ? at + offset : at,
      length,
    ]),
  }
}

/** How a backup is put together. */
export function runsOf({ archives, pieces }: KnownContent): Run[] {
  const runs: Run[] = []
  for (const [, number, offset, length] of pieces) {
    const archive = archives[number] ?? ''
    const last = runs.at(-1)
    if (last?.archive === archive && last.offset + last.length === offset) last.length += length
    else runs.push({ archive, offset, length })
  }
  return runs
}
