import { createHash } from 'node:crypto'
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { exportNames } from '#server/engines/site-manifest.ts'
import { writeZip, type ZipContent } from '#server/platform/files/zip-writer.ts'
import type { Folder, OpenFile } from '#server/platform/trees/folder.ts'
import { piecesOf } from '#server/platform/tree-files/zip-files.ts'
import { walkTree } from '#server/platform/trees/walk.ts'
import { atPath } from '#server/platform/tree-files/tree-path.ts'
import { createTreeCounter, type TreeLimits } from './limits.ts'
import { asSite } from './as-site.ts'
import type { SiteFolders } from './site-folders.ts'

/** What is packed, and where. */
export interface ExportInput extends SiteFolders {
  /** A new file in a folder that only we can enter. */
  readonly target: string
  /** Files and folders of the site that are left out. */
  readonly without: readonly string[]
  /** The dump of the database in the site; null: it has none. */
  readonly dump: string | null
  /** Further files of the site, in place of its own. */
  readonly instead: readonly { readonly name: string; readonly content: string }[]
  readonly readme: string
  /** The manifest without what is counted here. */
  readonly manifest: Readonly<Record<string, unknown>>
  readonly limits: TreeLimits
}

/** What was packed. */
export interface Exported {
  readonly files: number
  /** Bytes of the archive. */
  readonly bytes: number
}

interface Counted {
  files: number
  bytes: number
  dump: { bytes: number; sha256: string } | null
}

/** Packs a site as its own user into an archive that was opened before. */
export async function runExportTask(input: ExportInput, onFile: () => void): Promise<Exported> {
  const target = openSync(input.target, 'wx', 0o600)
  try {
    return await asSite(input, async ({ root }) => {
      const counted: Counted = { files: 0, bytes: 0, dump: null }
      let bytes = 0
      for await (const chunk of writeZip(contentsOf(root, input, counted, onFile))) {
        for (let at = 0; at < chunk.length;) at += writeSync(target, chunk, at)
        bytes += chunk.length
      }
      fsyncSync(target)
      return { files: counted.files, bytes }
    })
  } finally {
    closeSync(target)
  }
}

/** The manifest is last: it says what was packed before. */
function* contentsOf(
  root: Folder,
  input: ExportInput,
  counted: Counted,
  onFile: () => void,
): Generator<ZipContent, void, undefined> {
  yield textFile(exportNames.readme, () => input.readme)
  const left = new Set([...input.without, ...input.instead.map(({ name }) => name)])
  yield* filesOf(root, { left, limits: input.limits }, counted, onFile)
  for (const { name, content } of input.instead) {
    counted.files += 1
    counted.bytes += Buffer.byteLength(content)
    yield textFile(`${exportNames.files}/${name}`, () => content)
  }
  if (input.dump !== null) yield* dumpOf(root, input.dump, counted)
  yield textFile(exportNames.manifest, () => JSON.stringify(manifestOf(input, counted), null, 2))
}

function* filesOf(
  root: Folder,
  { left, limits }: { left: ReadonlySet<string>; limits: TreeLimits },
  counted: Counted,
  onFile: () => void,
): Generator<ZipContent, void, undefined> {
  const counter = createTreeCounter(limits)
  for (const { folder, name, path, kind } of walkTree(root, Buffer.from(exportNames.files))) {
    if (kind === 'other' || isLeftOut(path.toString('latin1').slice(exportNames.files.length + 1), left)) continue
    if (kind === 'folder') {
      const stats = folder.statsOf(name)
      counter.add(0)
      if (stats !== null)
        yield {
          name: Buffer.concat([path, Buffer.from('/')]),
          mode: 0o040000 | (stats.mode & 0o777),
          modified: stats.mtime,
          content: [],
        }
      continue
    }
    const file = folder.openFile(name)
    if (file === null) continue
    counter.add(file.stats.size)
    yield* openContent(file, path, (piece) => void (counted.bytes += piece.length))
    counted.files += 1
    onFile()
  }
}

function isLeftOut(path: string, left: ReadonlySet<string>): boolean {
  if (left.has(path)) return true
  for (let at = path.indexOf('/'); at > 0; at = path.indexOf('/', at + 1)) if (left.has(path.slice(0, at))) return true
  return false
}

function* dumpOf(root: Folder, path: string, counted: Counted): Generator<ZipContent, void, undefined> {
  const file = atPath(root, path, (folder, name) => folder.openFile(name))
  if (file === null) throw new Error('The dump of the database vanished.')
  const sum = createHash('sha256')
  let bytes = 0
  yield* openContent(file, Buffer.from(exportNames.dump), (piece) => {
    sum.update(piece)
    bytes += piece.length
  })
  counted.dump = { bytes, sha256: sum.digest('hex') }
}

function* openContent(
  { fd, stats }: OpenFile,
  name: Buffer,
  onPiece: (piece: Buffer) => void,
): Generator<ZipContent, void, undefined> {
  const counting = function* (): Generator<Buffer> {
    for (const piece of piecesOf(fd, stats.size)) {
      onPiece(piece)
      yield piece
    }
  }
  try {
    yield { name, mode: 0o100000 | (stats.mode & 0o777) | 0o600, modified: stats.mtime, content: counting() }
  } finally {
    closeSync(fd)
  }
}

function textFile(name: string, text: () => string): ZipContent {
  const content = function* (): Generator<Buffer> {
    yield Buffer.from(text())
  }
  return { name: Buffer.from(name), mode: 0o100644, modified: new Date(), content: content() }
}

function manifestOf({ manifest }: ExportInput, { files, bytes, dump }: Counted): Record<string, unknown> {
  const database = manifest['database']
  return {
    ...manifest,
    database: dump === null ? null : { file: exportNames.dump, ...dump, tables: database },
    files: { folder: exportNames.files, count: files, bytes },
  }
}
