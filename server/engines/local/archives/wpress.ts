import { promisify } from 'node:util'
import { inflate as inflateZlib } from 'node:zlib'
import { isObject, parseJson } from '#shared/parse-json.ts'
import { msg } from '#shared/localized-message.ts'
import { wpressFields } from '#shared/rules/archive-formats.ts'
import { maxImportBytes } from '#shared/rules/site-imports.ts'
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
import { smallContentOf } from './member-content.ts'
import { noFacts, type SiteArchive } from './site-archive.ts'

/*
 * Archives of All-in-One WP Migration: files one after the other, each behind a header of 4,377 bytes with its name (255 bytes),
 * size (14, decimal), time (12, decimal) and folder (4,096), all filled up with NUL. Versions since 2025 end the folder's field
 * with a CRC-32 of the content (8 hexadecimal digits). The last header is empty, or has the size and the CRC-32 of everything
 * before it. Files can be compressed; `package.json` says so. Facts from `lib/vendor/servmask/archiver/class-ai1wm-archiver.php` of the plugin
 * (https://wordpress.org/plugins/all-in-one-wp-migration/).
 */
const inflate = promisify(inflateZlib)
const { name: nameBytes, size: sizeBytes, modified: timeBytes, path: pathBytes } = wpressFields
const headerBytes = nameBytes + sizeBytes + timeBytes + pathBytes
const sumBytes = 8
/** What the plugin puts in place of the prefix of the tables. */
const placeholderPrefix = 'SERVMASK_PREFIX_'
/** Bytes that the plugin compresses at once, and those that they can become in the archive, whatever they are. */
const pieceBytes = 512_000
const maxStoredPiece = 2 * pieceBytes
/** Says how the other files are stored, and is never compressed itself. */
const description = 'package.json'
/** Bytes of it that are read: it names the active plugins. */
const maxPackageBytes = 1_048_576

/** Reads the headers of an archive and checks all of them. Throws FileRefusal, which names the file where it is wrong. */
export async function readWpress(part: FilePart): Promise<SiteArchive> {
  const stored = readMembers(part)
  assertDistinct(stored)
  const { isCompressed, ...about } = await readPackage(stored)
  const members = isCompressed ? stored.map((one) => (one.path === description ? one : unpacked(one))) : stored
  const isNetwork = members.some(({ path }) => path === 'multisite.json')
  return {
    source: 'wpress',
    members,
    facts: {
      ...noFacts,
      ...about,
      isNetwork,
      dump: members.some(({ path }) => path === 'database.sql') ? 'database.sql' : null,
      prefix: placeholderPrefix,
      newPrefix: 'wp_',
    },
  }
}

function readMembers(part: FilePart): UnpackMember[] {
  const members: UnpackMember[] = []
  for (let at = 0; ;) {
    const header = Buffer.concat([...piecesOf({ ...part, start: part.start + at, size: headerBytes })])
    if (header.length < headerBytes || at + headerBytes > part.size) throw cutOff(members.at(-1)?.path)
    if (header[0] === 0) {
      assertEnd(header, at, part.size)
      return members
    }
    if (members.length >= maxEntries) throw refuseEntry(msg`The archive has more than ${maxEntries} files and folders.`)
    const { path, size, crc32 } = readHeader(header)
    const start = at + headerBytes
    if (start + size > part.size - headerBytes) throw cutOff(path)
    members.push({
      ...{ path, isFolder: false, size, crc32 },
      read: async () => toStream({ fd: part.fd, start: part.start + start, size }),
    })
    at = start + size
  }
}

async function* toStream(part: FilePart): AsyncGenerator<Buffer, void, undefined> {
  yield* piecesOf(part)
}

function readHeader(header: Buffer): { path: string; size: number; crc32: number | null } {
  let at = 0
  const field = (length: number): Buffer => {
    const bytes = header.subarray(at, at + length)
    at += length
    const end = bytes.indexOf(0)
    return end < 0 ? bytes : bytes.subarray(0, end)
  }
  const name = field(nameBytes)
  const digits = field(sizeBytes).toString('latin1')
  field(timeBytes)
  const folder = field(pathBytes)
  const sum = header.subarray(headerBytes - sumBytes).toString('latin1')
  const raw = ['', '.'].includes(folder.toString('latin1')) ? name : Buffer.concat([folder, Buffer.from('/'), name])
  const { path, isFolder } = memberPath(raw)
  if (isFolder || name.includes('/') || !/^\d{1,14}$/.test(digits))
    throw refuseEntry(msg`The archive has an entry with a header that can’t be read: ${path}.`)
  return { path, size: Number(digits), crc32: /^[0-9a-f]{8}$/i.test(sum) ? Number.parseInt(sum, 16) : null }
}

/** The empty header must be where it says, and nothing may follow. */
function assertEnd(header: Buffer, at: number, size: number): void {
  const digits = header.toString('latin1', nameBytes, nameBytes + sizeBytes).replace(/\0{1,14}$/, '')
  const isWhole = digits === '' || digits === String(at)
  if (!isWhole || at + headerBytes !== size) throw cutOff(null)
}

/** What `package.json` says. Throws FileRefusal if it isn't there, or says that the files can't be read. */
async function readPackage(members: readonly UnpackMember[]) {
  const member = members.find(({ path }) => path === description)
  if (member === undefined) throw cutOff(null)
  const content = await smallContentOf(member, maxPackageBytes)
  const about = parseJson(content?.toString('utf8') ?? '')
  if (!isObject(about)) throw cutOff(null)
  if (about['Encrypted'] === true)
    throw unreadable(msg`This archive of All-in-One WP Migration is protected by a password.`)
  const compression = about['Compression']
  const isCompressed = isObject(compression) && compression['Enabled'] === true
  if (isCompressed && compression['Type'] !== 'gzip')
    throw unreadable(msg`The files in this archive of All-in-One WP Migration are compressed with bzip2.`)
  const php = about['PHP']
  return { isCompressed, phpVersion: isObject(php) ? versionOf(php['Version']) : null, active: activeOf(about) }
}

/** A compressed member: its checksum is that of the content, and how large that is only reading it tells. */
function unpacked(member: UnpackMember): UnpackMember {
  const { path, size } = member
  return size === 0 ? member : { ...member, size: null, read: async () => inflated(await member.read(), path) }
}

/** Pieces of at most 512,000 bytes, each compressed by itself (zlib, RFC 1950) behind its stored length (32 bits, big endian). */
async function* inflated(content: AsyncIterable<Buffer>, path: string): AsyncGenerator<Buffer, void, undefined> {
  let held: Buffer = Buffer.alloc(0)
  let [packed, size] = [0, 0]
  for await (const chunk of content) {
    packed += chunk.length
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk])
    while (held.length >= 4 && held.length >= 4 + held.readUInt32BE()) {
      const end = 4 + held.readUInt32BE()
      const piece = await inflate(held.subarray(4, end), { maxOutputLength: pieceBytes })
      size += piece.length
      if (size > maxImportBytes || expandsTooFar(size, packed)) throw refuseExpansion(path)
      yield piece
      held = held.subarray(end)
    }
    if (held.length > maxStoredPiece) throw damaged(path)
  }
  if (held.length > 0) throw damaged(path)
}

/** Plugins and theme that were active: the dump does not have these options. */
function activeOf(about: Readonly<Record<string, unknown>>): SiteArchive['facts']['active'] {
  const text = (value: unknown): string | null =>
    typeof value === 'string' && /^[^\0\\]{1,200}$/.test(value) && !value.includes('..') ? value : null
  const listed: unknown[] = Array.isArray(about['Plugins']) ? about['Plugins'].slice(0, 500) : []
  return {
    plugins: listed.flatMap((one) => text(one) ?? []),
    template: text(about['Template']),
    stylesheet: text(about['Stylesheet']),
  }
}

/** The first two numbers of a version. */
export function versionOf(text: unknown): string | null {
  return typeof text === 'string' ? (/^\d{1,2}\.\d{1,2}/.exec(text)?.[0] ?? null) : null
}

function unreadable(message: ReturnType<typeof msg>): FileRefusal {
  return new FileRefusal('invalid', message, msg`Export the site again without a password and without compression.`)
}

/** @param path the last file that was seen; null if that says nothing */
function cutOff(path: string | null | undefined): FileRefusal {
  const nextAction = msg`Download the archive from the original site again, then import it.`
  return typeof path === 'string'
    ? new FileRefusal(
        'invalid',
        msg`The archive of All-in-One WP Migration is cut off at ${path.slice(0, 200)}.`,
        nextAction,
      )
    : new FileRefusal('invalid', msg`The archive of All-in-One WP Migration is cut off or damaged.`, nextAction)
}
