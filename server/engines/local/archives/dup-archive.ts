import { pipeline, Readable } from 'node:stream'
import { crc32, createInflateRaw } from 'node:zlib'
import { msg } from '#shared/localized-message.ts'
import { FileRefusal } from '#server/platform/tree-files/refusal.ts'
import { damaged, type UnpackMember } from '#server/platform/tree-files/unpack-members.ts'
import { piecesOf, type FilePart } from '#server/platform/tree-files/unzip-files.ts'
import {
  assertDistinct,
  expandsTooFar,
  maxEntries,
  memberPath,
  refuseEntry,
  refuseExpansion,
} from '#server/platform/tree-files/zip-entries.ts'
import { withoutRepeatedFolders } from './member-content.ts'

/*
 * Duplicator's own archives (`.daf`): a header, then folders and files one after the other, whose headers are tags with short names. The content
 * of a file follows in pieces ("globs") of usually 1 MiB, each with its original size, its size in the archive and a CRC-32: of the stored bytes
 * up to version 4, of the original ones since 5. Version 5 has flags (1: raw deflate, 2: encrypted) for the archive and for each file. Facts from
 * `src/Libs/DupArchive` of the plugin (https://wordpress.org/plugins/duplicator/).
 */
const headerBytes = 8_192
/** The index of the writer, which is filled up to 2,000 bytes and is no file of the site. */
const indexName = '__dup__archive__index.json'
/** Pieces of all files: far more than the writer makes of the largest archive, and few enough to be kept in memory. */
const maxPieces = 1_000_000
const [flagCompressed, flagEncrypted] = [1, 2]

const archiveHeader = /^<A><V>(\d{1,3})(?:\.\d{1,3}){0,3}<\/V>(?:<C>(true|false|1|0|)<\/C><\/A>|<X>([^]{2})<\/X>)/
const endOfHeader = /^<P>[^]{0,1024}?<\/P><\/A>/
const fileHeader =
  /^<F><FS>(\d{1,15})<\/FS><MT>-?\d{0,15}<\/MT><P>\d{0,8}<\/P>(?:<X>([^]{2})<\/X>)?<HA>[0-9a-f]{0,64}<\/HA><RPL>(\d{1,4})<\/RPL><RP>/
const folderHeader = /^<D><MT>-?\d{0,15}<\/MT><P>\d{0,8}<\/P><RPL>(\d{1,4})<\/RPL><RP>/
const globHeader = /^<G><OS>(\d{1,15})<\/OS><SS>(\d{1,15})<\/SS><HA>([0-9a-f]{8})<\/HA><\/G>/

/** A piece of a file: where it is stored, and what it becomes. */
interface Glob {
  readonly start: number
  readonly stored: number
  readonly size: number
  readonly sum: number
}

/** How pieces are stored. */
interface Form {
  readonly isCompressed: boolean
  /** The sums are those of the bytes in the archive. */
  readonly sumsStored: boolean
}

/** Reads the headers of an archive and checks all of them. Throws FileRefusal, which names the file where it is wrong. */
export function readDupArchive(part: FilePart): UnpackMember[] {
  const members: UnpackMember[] = []
  const reader = textAt(part)
  const { form, at: begin } = readArchiveHeader(reader)
  let [entries, pieces] = [0, 0]
  for (let at = begin; at < part.size;) {
    entries += 1
    if (entries > maxEntries) throw refuseEntry(msg`The archive has more than ${maxEntries} files and folders.`)
    const last = members.at(-1)?.path ?? null
    const found = readEntry(reader, at, last)
    at = found.at
    if (found.kind === 'folder') {
      members.push({ path: found.path, isFolder: true, size: 0, crc32: null, read: async () => none() })
      continue
    }
    const own = found.flags === null ? form : { ...form, isCompressed: isCompressed(found.flags, found.path) }
    const { path } = found
    const globs: Glob[] = []
    let [size, stored] = [0, 0]
    while (size < found.size) {
      const glob = readGlob(reader, at, path)
      at = glob.start + glob.stored
      pieces += 1
      if (at > part.size || pieces > maxPieces) throw cutOff(path)
      globs.push(glob)
      size += glob.size
      stored += glob.stored
    }
    if (expandsTooFar(size, stored)) throw refuseExpansion(path)
    if (path !== indexName)
      members.push({ path, isFolder: false, size, crc32: null, read: async () => contentOf(part, path, globs, own) })
  }
  const all = withoutRepeatedFolders(members)
  assertDistinct(all)
  return all
}

type TextAt = (at: number, length?: number) => string

/** Reads headers as Latin-1, so that each character is a byte. */
function textAt(part: FilePart): TextAt {
  return (at, length = headerBytes) => {
    const size = Math.max(0, Math.min(length, part.size - at))
    return Buffer.concat([...piecesOf({ fd: part.fd, start: part.start + at, size })]).toString('latin1')
  }
}

function readArchiveHeader(read: TextAt): { form: Form; at: number } {
  const [all = '', version, compressed, flags] = archiveHeader.exec(read(0)) ?? []
  if (version === undefined) throw cutOff(null)
  if (flags === undefined) {
    return { form: { isCompressed: ['true', '1'].includes(compressed ?? ''), sumsStored: true }, at: all.length }
  }
  const form = { isCompressed: isCompressed(flags, null), sumsStored: false }
  const [end] = endOfHeader.exec(read(all.length)) ?? []
  if (end === undefined) throw cutOff(null)
  return { form, at: all.length + end.length }
}

/** @param path the file whose flags these are; null: those of the archive */
function isCompressed(flags: string, path: string | null): boolean {
  const bits = Buffer.from(flags, 'latin1').readUInt16LE()
  if ((bits & flagEncrypted) !== 0 && path !== indexName) throw encrypted()
  return (bits & flagCompressed) !== 0
}

type Entry =
  | { readonly kind: 'folder'; readonly path: string; readonly at: number }
  | {
      readonly kind: 'file'
      readonly path: string
      readonly at: number
      readonly size: number
      readonly flags: string | null
    }

function readEntry(read: TextAt, at: number, last: string | null): Entry {
  const text = read(at)
  const file = fileHeader.exec(text)
  const [all = '', length = ''] = file === null ? (folderHeader.exec(text) ?? []) : [file[0], file[3]]
  const end = file === null ? '</RP></D>' : '</RP></F>'
  const after = all.length + Number(length)
  if (all === '' || text.slice(after, after + end.length) !== end) throw cutOff(last)
  const raw = Buffer.from(text.slice(all.length, after), 'latin1')
  const { path } = memberPath(raw)
  const next = at + after + end.length
  if (file === null) return { kind: 'folder', path, at: next }
  return { kind: 'file', path, at: next, size: Number(file[1]), flags: file[2] ?? null }
}

function readGlob(read: TextAt, at: number, path: string): Glob {
  const [all, size, stored, sum] = globHeader.exec(read(at, 100)) ?? []
  if (all === undefined || size === '0') throw cutOff(path)
  return { start: at + all.length, stored: Number(stored), size: Number(size), sum: Number.parseInt(sum ?? '', 16) }
}

async function* none(): AsyncGenerator<Buffer, void, undefined> {
  // Folders have no content.
}

/** The content of a file. Throws FileRefusal where a piece is not what its header says. */
async function* contentOf(
  part: FilePart,
  path: string,
  globs: readonly Glob[],
  form: Form,
): AsyncGenerator<Buffer, void, undefined> {
  for (const glob of globs) yield* contentOfGlob(part, path, glob, form)
}

async function* contentOfGlob(
  part: FilePart,
  path: string,
  glob: Glob,
  { isCompressed: isPacked, sumsStored }: Form,
): AsyncGenerator<Buffer, void, undefined> {
  let [sum, size] = [0, 0]
  function* stored(): Generator<Buffer, void, undefined> {
    for (const piece of piecesOf({ fd: part.fd, start: part.start + glob.start, size: glob.stored })) {
      if (sumsStored) sum = crc32(piece, sum)
      yield piece
    }
  }
  for await (const chunk of isPacked ? inflated(stored()) : stored()) {
    if (!sumsStored) sum = crc32(chunk, sum)
    size += chunk.length
    if (size > glob.size) throw damaged(path)
    yield chunk
  }
  if (size !== glob.size || sum !== glob.sum) throw damaged(path)
}

/** Errors of either stream are those of the last one, which the reader gets. */
function inflated(stored: Iterable<Buffer>): AsyncIterable<Buffer> {
  return pipeline(
    Readable.from(stored, { objectMode: false }),
    createInflateRaw({ chunkSize: 65_536 }),
    () => undefined,
  )
}

function encrypted(): FileRefusal {
  return new FileRefusal(
    'invalid',
    msg`This archive of Duplicator is protected by a password.`,
    msg`Create the backup again without a password, and import that.`,
  )
}

/** @param path the last file that was seen; null if that says nothing */
function cutOff(path: string | null): FileRefusal {
  return new FileRefusal(
    'invalid',
    path === null
      ? msg`The archive of Duplicator is cut off or damaged.`
      : msg`The archive of Duplicator is cut off or damaged at ${path.slice(0, 200)}.`,
    msg`Download the archive from the original site again, then import it.`,
  )
}
