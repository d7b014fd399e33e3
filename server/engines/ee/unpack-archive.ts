import { createHash } from 'node:crypto'
import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { packTar, type TarMember } from '#server/platform/files/tar.ts'
import { createRowCounter, maxTables } from '#server/platform/mysql/count-rows.ts'
import { memberPath } from '#server/platform/tree-files/zip-entries.ts'
import { msg } from '#shared/localized-message.ts'
import { manifestTextIn, membersOf } from '../archive-members.ts'
import { isIn, noSuchPath } from '../backup-parts.ts'
import { createManifestComparison, type FileSum } from '../compare-manifest.ts'
import { assertFiles, assertRows } from '../damaged-backup.ts'
import { EngineError } from '../engine.ts'
import { createManifestReader, readManifest } from '../manifest-reader.ts'
import { exportNames, type ManifestFile, type ManifestSummary, type SiteManifest } from '../site-manifest.ts'
import { tablesIn } from './tables-in-dump.ts'

/** Damaged files that are named. */
const maxNamed = 20

/** The error of an archive that is none, or of another kind of site. */
export const noBackup = (): EngineError =>
  new EngineError('invalid', msg`The archive is no backup of such a site.`, { nextAction: msg`Choose another backup.` })

/**
 * The manifest of an archive, and the bytes of its dump and of the files that are wanted. Throws EngineError `invalid` for one without, of a
 * later version, or without the address of its site. @param isWanted gets each file that it names
 */
export async function manifestIn(
  archive: string,
  isWanted: (file: ManifestFile) => boolean = () => true,
): Promise<{ manifest: ManifestSummary; bytes: number }> {
  let bytes = 0
  const manifest = await reading(() =>
    readManifest(manifestTextIn(archive), (file) => {
      if (isWanted(file)) bytes += file.size
    }),
  )
  // It is used last, when the rest is in place.
  if (!isAddress(manifest.url)) throw noBackup()
  return { manifest, bytes: bytes + (manifest.database?.bytes ?? 0) }
}

/**
 * Compares an archive with its manifest: files, dump, and the rows of each table in it. Throws EngineError `invalid` for one that is damaged, or is
 * none.
 */
export async function assertWhole(archive: string): Promise<void> {
  const names: string[] = []
  let count = 0
  const comparison = createManifestComparison(({ path }) => {
    count += 1
    if (count <= maxNamed) names.push(path)
  })
  const manifest = createManifestReader()
  const { through, rows } = createRowCounter()
  const { database, tables } = await reading(async () => {
    for await (const { header, content } of membersOf(archive)) {
      const { name, type } = header
      if (name === exportNames.manifest) {
        for await (const chunk of content)
          for (const { path, ...file } of manifest.read(chunk)) comparison.isNamed(`${exportNames.files}/${path}`, file)
        continue
      }
      // Its error is that of what reads it.
      const isDump = name === exportNames.dump && type === 'file'
      const sum = await sumOf(isDump ? pipeline(Readable.from(content), through, () => undefined) : content)
      if (type === 'file') comparison.isHere(name, sum)
    }
    return manifest.end()
  })
  if (database !== null) comparison.isNamed(database.file, { size: database.bytes, sha256: database.sha256 })
  comparison.end()
  assertFiles({ count, names })
  // More tables are not counted.
  const counted = Object.entries(tables).filter(([name]) => rows.size < maxTables || rows.has(name))
  assertRows(rows, counted)
}

async function sumOf(content: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<FileSum> {
  const sum = createHash('sha256')
  let size = 0
  for await (const chunk of content) {
    sum.update(chunk)
    size += chunk.length
  }
  return { size, sha256: sum.digest('hex') }
}

/** A disk that fails says nothing about the archive. */
async function reading<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof Error && 'syscall' in error ? error : noBackup()
  }
}

const isAddress = (url: string): boolean => /^https?:$/.test(URL.parse(url)?.protocol ?? '')

/**
 * The files of an archive, or those at some paths, as a tar file of their own, compressed. The configuration of a WordPress stays that of the
 * server. Throws EngineError `invalid` for a path that is not there.
 */
export function filesIn(
  archive: string,
  type: SiteManifest['type'],
  paths: readonly string[] | null = null,
): AsyncIterable<Buffer> {
  const left = type === 'wp' ? 'wp-config.php' : ''
  const begin = `${exportNames.files}/`
  const missing = new Set(paths)
  const isLeft = (path: string, type: TarMember['header']['type']): boolean => {
    if (path === '' || path === left || type === 'other' || (paths !== null && !isIn(paths, path))) return true
    missing.delete(path)
    return false
  }
  const members = async function* (): AsyncGenerator<TarMember, void, undefined> {
    for await (const { header, content } of membersOf(archive)) {
      const path = header.name.startsWith(begin) ? header.name.slice(begin.length).replace(/\/$/, '') : ''
      if (isLeft(path, header.type)) {
        for await (const _chunk of content);
        continue
      }
      memberPath(Buffer.from(path))
      yield { header: { ...header, name: path, mode: header.mode & 0o777 }, content }
    }
    for (const path of missing) throw noSuchPath(path)
  }
  return compressed(packTar(members()))
}

/** The dump of an archive, or some of its tables under other names (see `tablesIn`), compressed. */
export function dumpIn(archive: string, tables: ReadonlyMap<string, string> | null = null): AsyncIterable<Buffer> {
  const dump = async function* (): AsyncGenerator<Buffer, void, undefined> {
    for await (const { header, content } of membersOf(archive))
      for await (const chunk of content) if (header.name === exportNames.dump) yield chunk
  }
  return compressed(tables === null ? dump() : tablesIn(dump(), tables))
}

/** Content as gzip, for the way to a server. */
export function compressed(content: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  const zipped = createGzip({ level: 1 })
  // Its error is that of what reads it.
  pipeline(Readable.from(content, { objectMode: false }), zipped, () => undefined)
  return zipped
}
