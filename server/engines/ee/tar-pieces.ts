import { exportNames } from '../site-manifest.ts'
import type { TarPiece } from '../site-backups.ts'
import { unreadable } from './known-content.ts'

/** A file or folder of a site in what its archive is made of. */
export interface TreeItem {
  /** Below the folder of the site's files. */
  readonly path: string
  /** Null for a folder. */
  readonly file: { readonly size: number; readonly sha256: string } | null
  /** What its header says besides, as the server words it; null if that is not known. */
  readonly attributes: string | null
}

/** A member beside the files of the site. When it was written is not known. */
export interface OwnMember {
  readonly name: string
  readonly content: readonly TarPiece[]
}

const blockBytes = 512
/** A tar file is a multiple of it, with two empty blocks at its end. */
const recordBytes = 20 * blockBytes
/** A longer name has blocks of its own. */
const longestName = 100

const padding = (bytes: number): number => (blockBytes - (bytes % blockBytes)) % blockBytes

/** Bytes of the header that GNU tar writes in its own format. */
function headerBytes(name: string): number {
  const length = Buffer.byteLength(name)
  return blockBytes + (length > longestName ? blockBytes + length + 1 + padding(length + 1) : 0)
}

/**
 * The tar that a server makes of a site (`archive-tar.sh`), piece by piece. Where they are follows from names and sizes, so no server is
 * asked for that.
 * @param tree see `inOrderOfTar`
 */
export function tarPieces(
  before: readonly OwnMember[],
  tree: readonly TreeItem[],
  after: readonly OwnMember[],
): Iterable<TarPiece> {
  // There can be a million of them.
  return {
    *[Symbol.iterator]() {
      let bytes = 0
      for (const piece of members(before, tree, after)) {
        bytes += piece.bytes
        yield piece
      }
      yield unknown(Math.ceil((bytes + 2 * blockBytes) / recordBytes) * recordBytes - bytes)
    },
  }
}

function* members(
  before: readonly OwnMember[],
  tree: readonly TreeItem[],
  after: readonly OwnMember[],
): Generator<TarPiece, void, undefined> {
  for (const member of before) yield* ownPieces(member)
  // That a file of ours came into it changed its time.
  yield unknown(headerBytes(`${exportNames.files}/`))
  for (const item of tree) yield* itemPieces(item)
  for (const member of after) yield* ownPieces(member)
}

/** All bytes of a tar. */
export function bytesOf(tar: Iterable<TarPiece>): number {
  let all = 0
  for (const { bytes } of tar) all += bytes
  return all
}

/** Pieces that a dump is cut into. */
const maxDumpPieces = 65_536
/** Bytes of the list of them. */
export const maxDumpList = 100 * maxDumpPieces

/** A dump, by the list of its pieces (`dump-pieces.sh`), which may be empty. The server can be hostile. */
export function dumpPieces(
  list: string,
  { bytes, sha256 }: { readonly bytes: number; readonly sha256: string },
): TarPiece[] {
  const pieces = list
    .split('\n')
    .slice(0, -1)
    .map((line): TarPiece => {
      const [, size, sum] = /^([1-9]\d{0,14}) ([0-9a-f]{64})$/.exec(line) ?? []
      if (size === undefined || sum === undefined) throw unreadable()
      return { kind: 'content', bytes: Number(size), sha256: sum }
    })
  if (pieces.length === 0) return [{ kind: 'content', bytes, sha256 }]
  if (pieces.length > maxDumpPieces || bytesOf(pieces) !== bytes) throw unreadable()
  return pieces
}

const unknown = (bytes: number): TarPiece => ({ kind: 'unknown', bytes })

function* ownPieces({ name, content }: OwnMember): Generator<TarPiece, void, undefined> {
  yield unknown(headerBytes(name))
  yield* content
  yield unknown(padding(bytesOf(content)))
}

function* itemPieces({ path, file, attributes }: TreeItem): Generator<TarPiece, void, undefined> {
  const name = `${exportNames.files}/${path}${file === null ? '/' : ''}`
  const bytes = headerBytes(name)
  yield attributes === null
    ? unknown(bytes)
    : { kind: 'header', bytes, says: `${attributes} ${file?.size ?? 'folder'} ${name}` }
  // With its padding: so files that follow on one another stay one run.
  if (file) yield { kind: 'content', bytes: file.size + padding(file.size), sha256: file.sha256 }
}

/** As `tar --sort=name` visits them: a folder before what is in it, names by their bytes. */
export function inOrderOfTar(tree: readonly TreeItem[]): TreeItem[] {
  return tree
    .map((item) => ({ item, key: Buffer.from(item.path.replaceAll('/', '\0')).toString('latin1') }))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ item }) => item)
}
