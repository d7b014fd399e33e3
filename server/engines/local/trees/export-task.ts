import { createHash } from 'node:crypto'
import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { pipeline, Readable } from 'node:stream'
import { createZstdCompress } from 'node:zlib'
import {
  exportNames,
  manifestBytes,
  manifestPieces,
  maxManifestFiles,
  othersNotPacked,
  type SiteManifest,
} from '#server/engines/site-manifest.ts'
import { packTar, type TarMember } from '#server/platform/files/tar.ts'
import { writeZip, type ZipContent } from '#server/platform/files/zip-writer.ts'
import type { Folder, OpenFile } from '#server/platform/trees/folder.ts'
import { piecesOf } from '#server/platform/tree-files/zip-files.ts'
import { walkTree } from '#server/platform/trees/walk.ts'
import { atPath } from '#server/platform/tree-files/tree-path.ts'
import { memberPath } from '#server/platform/tree-files/zip-entries.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'
import { createTreeCounter, type TreeLimits } from './limits.ts'
import { asSite } from './as-site.ts'
import type { SiteFolders } from './site-folders.ts'

/** What is packed, and where. */
export interface ExportInput extends SiteFolders {
  /** ZIP can be opened everywhere; `tar.zst` is smaller and faster. */
  readonly container: 'zip' | 'tar.zst'
  /** A new file in a folder that only we can enter. */
  readonly target: string
  /** Another one, for the manifest alone; null: it is needed in the archive only. */
  readonly manifestTarget: string | null
  /** Files and folders of the site that are left out. */
  readonly without: readonly string[]
  /** The dump of the database in the site; null: it has none. */
  readonly dump: string | null
  /** Further files of the site, in place of its own. */
  readonly instead: readonly { readonly name: string; readonly content: string }[]
  readonly readme: string
  /** The manifest without what is found out here or meanwhile. */
  readonly manifest: Omit<SiteManifest, 'database' | 'files' | keyof SeenSite>
  readonly limits: TreeLimits
}

/** What a site looked like when it was packed. */
export type SeenSite = Pick<SiteManifest, 'counts' | 'pages' | 'title'>

/** What was packed. */
export interface Exported {
  readonly files: number
  /** Bytes of the archive. */
  readonly bytes: number
}

/** A member of the archive. Its size is known before it is written: a tar file needs that. */
interface Member extends ZipContent {
  readonly size: number
}

interface Packed {
  readonly files: SiteManifest['files']
  dump: SiteManifest['database']
  /** Links and special files, which are not packed. */
  others: number
  manifest: SiteManifest | null
}

/** Files up to this size (bytes) are read at once, and again if they changed meanwhile; for a larger one, everything is. */
const readAtOnce = 16 * 1_048_576
const maxReads = 3

/**
 * Packs a site as its own user into an archive that was opened before.
 * @param seen its pages are looked at while its files are packed
 */
export async function runExportTask(
  input: ExportInput,
  onFile: () => void,
  seen: Promise<SeenSite>,
): Promise<Exported> {
  const target = openSync(input.target, 'wx', 0o600)
  const aside = input.manifestTarget === null ? null : openSync(input.manifestTarget, 'wx', 0o600)
  try {
    return await asSite(input, async ({ root }) => {
      for (let read = 1; ; read += 1) {
        const packed: Packed = { files: [], dump: null, others: 0, manifest: null }
        const members = membersOf(root, input, { packed, seen }, onFile)
        try {
          const bytes = await writeAll(target, input.container === 'zip' ? writeZip(members) : writeTar(members))
          fsyncSync(target)
          if (aside !== null && packed.manifest !== null) await writeAll(aside, manifestPieces(packed.manifest))
          return { files: packed.files.length, bytes }
        } catch (error) {
          // What is written of a file can't be taken back: all are read again.
          if (!(error instanceof EngineError) || !error.retryable || read === maxReads) throw error
          ftruncateSync(target)
        }
      }
    })
  } finally {
    closeSync(target)
    if (aside !== null) closeSync(aside)
  }
}

/** Writes a file from its beginning. Returns its bytes. */
async function writeAll(fd: number, chunks: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<number> {
  let bytes = 0
  for await (const chunk of chunks)
    for (let at = 0; at < chunk.length;) {
      const written = writeSync(fd, chunk, at, chunk.length - at, bytes)
      at += written
      bytes += written
    }
  return bytes
}

/** The errors of members are those of the result. */
function writeTar(members: AsyncIterable<Member>): AsyncIterable<Buffer> {
  const source = Readable.from(packTar(tarMembers(members)), { objectMode: false })
  return pipeline(source, createZstdCompress(), () => undefined)
}

async function* tarMembers(members: AsyncIterable<Member>): AsyncGenerator<TarMember, void, undefined> {
  for await (const { name, mode, modified, size, content } of members) {
    const isFolder = name.at(-1) === 0x2f
    yield {
      header: {
        name: restorable(name),
        type: isFolder ? 'directory' : 'file',
        size,
        mode: mode & 0o777,
        mtime: modified.getTime() / 1000,
      },
      content,
    }
  }
}

/** A backup must not have what nobody can restore. */
function restorable(name: Buffer): string {
  try {
    memberPath(name)
    return name.toString('utf8')
  } catch (error) {
    const path = name.toString('utf8').slice(exportNames.files.length + 1)
    throw new EngineError('invalid', msg`The site has a file or folder whose name could not be restored: ${path}.`, {
      nextAction: msg`Rename it in the file manager, then try again.`,
      cause: error,
    })
  }
}

/** The manifest is last: it says what was packed before. */
async function* membersOf(
  root: Folder,
  input: ExportInput,
  { packed, seen }: { readonly packed: Packed; readonly seen: Promise<SeenSite> },
  onFile: () => void,
): AsyncGenerator<Member, void, undefined> {
  yield textMember(exportNames.readme, Buffer.from(input.readme))
  const left = new Set([...input.without, ...input.instead.map(({ name }) => name)])
  yield* filesOf(root, { left, limits: input.limits }, packed, onFile)
  for (const { name, content } of input.instead) {
    const bytes = Buffer.from(content)
    packed.files.push({ path: name, size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') })
    yield textMember(`${exportNames.files}/${name}`, bytes)
  }
  if (input.dump !== null) yield* dumpOf(root, input.dump, packed)
  const manifest = manifestOf(input, packed, await seen)
  packed.manifest = manifest
  yield {
    ...textMember(exportNames.manifest, Buffer.alloc(0)),
    size: manifestBytes(manifest),
    content: manifestPieces(manifest),
  }
}

function manifestOf(input: ExportInput, { files, dump, others }: Packed, seen: SeenSite): SiteManifest {
  const not_packed = [...(input.manifest.not_packed ?? []), ...othersNotPacked(others)]
  if (files.length <= maxManifestFiles) return { ...input.manifest, ...seen, database: dump, not_packed, files }
  throw new EngineError('invalid', msg`The site has more files than a backup can list.`, {
    nextAction: msg`Delete files that it does not need.`,
  })
}

function* filesOf(
  root: Folder,
  { left, limits }: { left: ReadonlySet<string>; limits: TreeLimits },
  packed: Packed,
  onFile: () => void,
): Generator<Member, void, undefined> {
  const counter = createTreeCounter(limits)
  for (const { folder, name, path, kind } of walkTree(root, Buffer.from(exportNames.files))) {
    const inside = path.subarray(exportNames.files.length + 1)
    if (isLeftOut(inside.toString('latin1'), left)) continue
    if (kind === 'other') {
      packed.others += 1
      continue
    }
    if (kind === 'folder') {
      const stats = folder.statsOf(name)
      counter.add(0)
      if (stats !== null)
        yield {
          name: Buffer.concat([path, Buffer.from('/')]),
          mode: 0o040000 | (stats.mode & 0o777),
          modified: stats.mtime,
          size: 0,
          content: [],
        }
      continue
    }
    const file = folder.openFile(name)
    if (file === null) continue
    counter.add(file.stats.size)
    yield* openMember(file, path, (size, sha256) => {
      packed.files.push({ path: inside.toString('utf8'), size, sha256 })
    })
    onFile()
  }
}

function isLeftOut(path: string, left: ReadonlySet<string>): boolean {
  if (left.has(path)) return true
  for (let at = path.indexOf('/'); at > 0; at = path.indexOf('/', at + 1)) if (left.has(path.slice(0, at))) return true
  return false
}

function* dumpOf(root: Folder, path: string, packed: Packed): Generator<Member, void, undefined> {
  const file = atPath(root, path, (folder, name) => folder.openFile(name))
  if (file === null) throw new Error('The dump of the database vanished.')
  yield* openMember(file, Buffer.from(exportNames.dump), (bytes, sha256) => {
    packed.dump = { file: exportNames.dump, bytes, sha256 }
  })
}

/** The sum is that of the bytes that are packed, whatever becomes of the file meanwhile. */
function* openMember(
  { fd, stats }: OpenFile,
  name: Buffer,
  onRead: (bytes: number, sha256: string) => void,
): Generator<Member, void, undefined> {
  const about = { name, mode: 0o100000 | (stats.mode & 0o777) | 0o600, modified: stats.mtime }
  const sum = createHash('sha256')
  try {
    if (stats.size <= readAtOnce) {
      const whole = readWhole(fd)
      yield { ...about, size: whole.length, content: [whole] }
      onRead(whole.length, sum.update(whole).digest('hex'))
      return
    }
    let bytes = 0
    const counting = function* (): Generator<Buffer> {
      for (const piece of piecesOf(fd, stats.size)) {
        sum.update(piece)
        bytes += piece.length
        yield piece
      }
      const after = fstatSync(fd)
      // One that only grew, like a log, has what it had.
      const isRewritten = after.size === stats.size && after.mtimeMs !== stats.mtimeMs
      if (bytes < stats.size || isRewritten) throw changedMeanwhile(name)
    }
    yield { ...about, size: stats.size, content: counting() }
    onRead(bytes, sum.digest('hex'))
  } finally {
    closeSync(fd)
  }
}

/** A file as it was at one moment, unless it never stops changing. */
function readWhole(fd: number): Buffer {
  for (let read = 1; ; read += 1) {
    const before = fstatSync(fd)
    const content = Buffer.concat([...piecesOf(fd, before.size)])
    const after = fstatSync(fd)
    const isSame = content.length === after.size && before.mtimeMs === after.mtimeMs
    if (isSame || read === maxReads) return content
  }
}

const changedMeanwhile = (name: Buffer): EngineError =>
  new EngineError('unavailable', msg`A file of the site changed while it was packed: ${name.toString('utf8')}.`, {
    retryable: true,
    nextAction: msg`Try again when nobody changes the site.`,
  })

function textMember(name: string, content: Buffer): Member {
  return { name: Buffer.from(name), mode: 0o100644, modified: new Date(), size: content.length, content: [content] }
}
