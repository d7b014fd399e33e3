import {
  closeSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statfsSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import { unzstd } from '#server/platform/files/unzstd.ts'
import { minFreeBytes } from '#server/platform/files/disk-space.ts'
import { exists } from '#server/platform/files/exists.ts'
import { FileRefusal } from '#server/platform/tree-files/refusal.ts'
import type { UnpackMember } from '#server/platform/tree-files/unpack-members.ts'
import { piecesOf, type FilePart } from '#server/platform/tree-files/unzip-files.ts'
import { assertDistinct, memberPath, refuseEntry, refuseExpansion } from '#server/platform/tree-files/zip-entries.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'
import { noFacts, type SiteArchive } from './site-archive.ts'
import { noDisk } from './updraft-set.ts'

/*
 * Backups: a tar file (POSIX.1-1988 ustar, with the pax headers of POSIX.1-2001 and the long names of GNU tar), compressed with
 * zstd. Its members are read in any order, so it is unpacked into a folder of ours first, and its headers make the index.
 */

/** Size of a header, and what contents are filled up to. */
const block = 512
/** Most files and folders: more need more memory than the process has. */
const maxMembers = 400_000
/** Bytes of a header that continues another one. */
const maxExtraBytes = 65_536
/** Nothing real becomes so much larger. */
const maxRatio = 1_000
/** How often the disk is looked at (bytes). */
const lookEvery = 64 * 1_048_576

/** Where the tar file of a backup is. */
export const unpackedTar = (parts: string): string => join(parts, 'archive.tar')

/**
 * Unpacks and reads such an archive. Throws FileRefusal for anything that is none, or leads out of its folder, EngineError `unsupported` for one
 * with too many files.
 */
export async function readTarArchive(
  part: FilePart,
  { parts, keep }: { parts: string; keep: (fd: number) => void },
): Promise<SiteArchive> {
  const path = unpackedTar(parts)
  if (!(await exists(path))) await decompress(part, path, parts)
  const fd = openSync(path, 'r')
  keep(fd)
  const members = readMembers({ fd, start: 0, size: fstatSync(fd).size })
  assertDistinct(members)
  return { source: null, members, facts: noFacts }
}

async function decompress(part: FilePart, path: string, parts: string): Promise<void> {
  assertOneFrame(part)
  mkdirSync(parts, { recursive: true, mode: 0o700 })
  const unfinished = `${path}.new`
  const file = openSync(unfinished, 'w', 0o600)
  try {
    const source = Readable.from(piecesOf(part), { objectMode: false })
    const unpacked: AsyncIterable<Buffer> = pipeline(source, unzstd(), () => undefined)
    let [size, lookAt] = [0, 0]
    for await (const chunk of readable(unpacked)) {
      if (size >= lookAt) {
        const { bavail, bsize } = statfsSync(parts)
        if (bavail * bsize - lookEvery < minFreeBytes) throw noDisk()
        lookAt = size + lookEvery
      }
      size += chunk.length
      if (size > lookEvery && size > part.size * maxRatio) throw refuseExpansion('')
      for (let at = 0; at < chunk.length;) at += writeSync(file, chunk, at)
    }
    fsyncSync(file)
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw error
  } finally {
    closeSync(file)
  }
  renameSync(unfinished, path)
}

/** What is behind the first frame of zstd would be left out without a word. Writers can end with an empty one. */
function assertOneFrame(part: FilePart): void {
  let { end } = frameAt(part, 0)
  while (end < part.size) {
    const further = frameAt(part, end)
    if (!further.isEmpty) throw cutOff()
    ;({ end } = further)
  }
  if (end !== part.size) throw cutOff()
}

/** Where a frame ends (RFC 8878, 3.1.1), and whether it has no content. */
function frameAt(part: FilePart, start: number): { readonly end: number; readonly isEmpty: boolean } {
  if (read(part, start, 4).readUInt32LE() !== 0xfd2fb528) throw cutOff()
  const flags = read(part, start + 4, 1).readUInt8()
  const isSingle = (flags & 0x20) !== 0
  const contentSize = [isSingle ? 1 : 0, 2, 4, 8][flags >> 6] ?? 0
  const dictionary = [0, 1, 2, 4][flags & 3] ?? 0
  let at = start + 5 + (isSingle ? 0 : 1) + dictionary + contentSize
  let isEmpty = true
  for (let isLast = false; !isLast;) {
    const header = read(part, at, 3).readUIntLE(0, 3)
    isLast = (header & 1) === 1
    isEmpty &&= header >> 3 === 0
    // Of a run only its byte is there.
    at += 3 + (((header >> 1) & 3) === 1 ? 1 : header >> 3)
  }
  return { end: at + ((flags & 4) === 0 ? 0 : 4), isEmpty }
}

async function* readable(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  try {
    yield* content
  } catch (error) {
    // All that can go wrong besides is a disk that fails, which names its call.
    throw error instanceof Error && 'syscall' in error ? error : cutOff()
  }
}

/** What the headers before one say about it. */
interface Extra {
  path?: Buffer
  size?: number
}

function readMembers(part: FilePart): UnpackMember[] {
  const members: UnpackMember[] = []
  let extra: Extra = {}
  for (let at = 0; ;) {
    const header = read(part, at, block)
    if (header.every((byte) => byte === 0)) {
      assertEmpty({ ...part, start: part.start + at, size: part.size - at })
      return members
    }
    if (members.length >= maxMembers) throw tooMany()
    assertSum(header)
    const type = String.fromCharCode(header[156] ?? 0)
    const size = (type === 'x' ? undefined : extra.size) ?? numberIn(header.subarray(124, 136))
    const start = at + block
    at = start + Math.ceil(size / block) * block
    if (!Number.isSafeInteger(at) || at > part.size) throw cutOff()
    if (type === 'x' || type === 'L') {
      if (size > maxExtraBytes) throw cutOff()
      const content = read(part, start, size)
      extra = { ...extra, ...(type === 'x' ? recordsIn(content) : { path: untilNul(content) }) }
      continue
    }
    const raw = extra.path ?? nameIn(header)
    extra = {}
    // Says something about all that follow, of which nothing is used.
    if (type === 'g') continue
    members.push(memberOf(type, raw, { ...part, start: part.start + start, size }))
  }
}

/** It says nothing against the archive. */
const tooMany = (): EngineError =>
  new EngineError(
    'unsupported',
    msg`The archive has over ${maxMembers} files and folders, too many for this machine.`,
    {
      nextAction: msg`Restore it in place on its server, or download it.`,
    },
  )

/** Behind its end an archive has zeros only: what else is there would be read by some programs and not by others. */
function assertEmpty(rest: FilePart): void {
  for (const piece of piecesOf(rest)) if (piece.some((byte) => byte !== 0)) throw cutOff()
}

function memberOf(type: string, raw: Buffer, content: FilePart): UnpackMember {
  const isFolder = type === '5'
  const named = memberPath(raw)
  if (!['0', '\0', '5'].includes(type) || (named.isFolder && !isFolder) || (isFolder && content.size > 0))
    throw refuseEntry(msg`The archive has an entry that is a link or a special file: ${named.path}.`)
  return {
    ...{ path: named.path, isFolder, size: content.size, crc32: null },
    read: async () => streamOf(content),
  }
}

async function* streamOf(part: FilePart): AsyncGenerator<Buffer, void, undefined> {
  yield* piecesOf(part)
}

function read(part: FilePart, at: number, size: number): Buffer {
  const bytes = Buffer.concat([...piecesOf({ ...part, start: part.start + at, size })])
  if (bytes.length < size) throw cutOff()
  return bytes
}

/** The sum of a header counts its own field as spaces. */
function assertSum(header: Buffer): void {
  let sum = 0
  for (const [at, byte] of header.entries()) sum += at >= 148 && at < 156 ? 0x20 : byte
  if (numberIn(header.subarray(148, 156)) !== sum) throw cutOff()
}

/** Octal digits; large sizes are binary, with the highest bit set (GNU tar). */
function numberIn(field: Buffer): number {
  if (((field[0] ?? 0) & 0x80) !== 0) return Number(BigInt(`0x${field.subarray(1).toString('hex')}`))
  const digits = /^ *([0-7]+)[ \0]*$/.exec(field.toString('latin1'))?.[1]
  if (digits === undefined) throw cutOff()
  return Number.parseInt(digits, 8)
}

const untilNul = (bytes: Buffer): Buffer => {
  const end = bytes.indexOf(0)
  return end < 0 ? bytes : bytes.subarray(0, end)
}

function nameIn(header: Buffer): Buffer {
  const name = untilNul(header.subarray(0, 100))
  const isUstar = header.toString('latin1', 257, 263) === 'ustar\0'
  const prefix = isUstar ? untilNul(header.subarray(345, 500)) : Buffer.alloc(0)
  return prefix.length === 0 ? name : Buffer.concat([prefix, Buffer.from('/'), name])
}

/** Records of a pax header: their length, a space, `key=value`, and a line feed. */
function recordsIn(content: Buffer): Extra {
  const extra: Extra = {}
  for (let at = 0; at < content.length;) {
    const space = content.indexOf(0x20, at)
    const digits = content.toString('latin1', at, space)
    const end = at + Number(digits)
    if (space < 0 || !/^\d{1,6}$/.test(digits) || end > content.length || content[end - 1] !== 0x0a || end <= space)
      throw cutOff()
    const record = content.subarray(space + 1, end - 1)
    const equals = record.indexOf(0x3d)
    const value = record.subarray(equals + 1)
    const key = record.toString('latin1', 0, Math.max(0, equals))
    if (key === 'path') extra.path = value
    if (key === 'size') {
      if (!/^\d{1,15}$/.test(value.toString('latin1'))) throw cutOff()
      extra.size = Number(value.toString('latin1'))
    }
    at = end
  }
  return extra
}

const cutOff = (): FileRefusal =>
  new FileRefusal(
    'invalid',
    msg`The backup is cut off or damaged: its archive can’t be read to the end.`,
    msg`Choose another backup.`,
  )
