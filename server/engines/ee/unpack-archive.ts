import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { packTar, type TarMember } from '#server/platform/files/tar.ts'
import { memberPath } from '#server/platform/tree-files/zip-entries.ts'
import { manifestTextIn, membersOf } from '../archive-members.ts'
import { readingBackup } from '../assert-whole.ts'
import { isIn, noSuchPath } from '../backup-parts.ts'
import { noBackup } from '../damaged-backup.ts'
import { readManifest } from '../manifest-reader.ts'
import { exportNames, type ManifestFile, type ManifestSummary, type SiteManifest } from '../site-manifest.ts'
import { tablesIn } from './tables-in-dump.ts'

/**
 * The manifest of an archive, and the bytes of its dump and of the files that are wanted. Throws EngineError `invalid` for one without, of a
 * later version, or without the address of its site. @param isWanted gets each file that it names
 */
export async function manifestIn(
  archive: string,
  isWanted: (file: ManifestFile) => boolean = () => true,
): Promise<{ manifest: ManifestSummary; bytes: number }> {
  let bytes = 0
  const manifest = await readingBackup(() =>
    readManifest(manifestTextIn(archive), (file) => {
      if (isWanted(file)) bytes += file.size
    }),
  )
  // It is used last, when the rest is in place.
  if (!isAddress(manifest.url)) throw noBackup()
  return { manifest, bytes: bytes + (manifest.database?.bytes ?? 0) }
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
