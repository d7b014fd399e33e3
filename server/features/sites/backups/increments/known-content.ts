import { createHash, hash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { cutContent, maxPieces } from './cut-content.ts'

/** Where a piece of content lies: bytes of an unpacked archive (a number of `archives`). */
type Piece = readonly [name: string, archive: number, offset: number, length: number]

/** What a backup consists of, and where each piece of it lies. */
export interface KnownContent {
  /** How finely it was cut, see `bitsFor`; null: by file, which finds nothing of what was cut by content. */
  readonly bits: number | null
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
export const nameOf = (piece: Buffer): string => namedBy(hash('sha256', piece, 'base64url'))

/** See `nameOf`, of a SHA-256 in base64url. */
export const namedBy = (sha256: string): string => sha256.slice(0, 22)

/** The content of a backup while it is found, piece by piece, in what is known of an earlier one. */
export interface Comparison {
  /** Takes the next piece, of a name, or '' for one that is found nowhere. Returns whether it is new. */
  add(name: string, bytes: number): boolean
  /** Whether it has more pieces than are listed. */
  isTooLong(): boolean
  result(): Omit<Compared, 'sha256'>
}

/** Begins to compare a backup with what is known of an earlier one. */
export function comparison(backup: string, { bits, archives, pieces: before }: KnownContent): Comparison {
  const known = new Map(before.map((piece) => [piece[0], piece]))
  const own = archives.length
  const pieces: Piece[] = []
  let [bytes, sharedBytes, newBytes, isTooLong] = [0, 0, 0, false]
  return {
    add(name, length) {
      isTooLong = pieces.length === maxPieces
      if (isTooLong) return false
      bytes += length
      const found = name === '' ? undefined : known.get(name)
      // One of another length is not what it says.
      const isNew = found?.[3] !== length
      const piece = isNew ? ([name, own, newBytes, length] as const) : found
      pieces.push(piece)
      if (piece[1] !== own) sharedBytes += length
      if (!isNew) return false
      known.set(name, piece)
      newBytes += length
      return true
    },
    isTooLong: () => isTooLong,
    result: () => ({ bytes, sharedBytes, newBytes, content: { bits, archives: [...archives, backup], pieces } }),
  }
}

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
  known: KnownContent & { readonly bits: number },
  added: Pick<FileHandle, 'appendFile'>,
): Promise<Compared | null> {
  const compared = comparison(name, known)
  const sum = createHash('sha256')
  for await (const piece of cutContent(tar, known.bits)) {
    sum.update(piece)
    if (compared.add(nameOf(piece), piece.length)) await added.appendFile(piece)
    else if (compared.isTooLong()) return null
  }
  return { ...compared.result(), sha256: sum.digest('hex') }
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
