import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { packTar, type TarMember } from '#server/platform/files/tar.ts'
import { memberPath } from '#server/platform/tree-files/zip-entries.ts'
import { msg } from '#shared/localized-message.ts'
import { manifestTextIn, membersOf } from '../archive-members.ts'
import { EngineError } from '../engine.ts'
import { readManifest } from '../manifest-reader.ts'
import { exportNames, type ManifestFile, type ManifestSummary, type SiteManifest } from '../site-manifest.ts'

/** The error of an archive that is none, or of another kind of site. */
export const noBackup = (): EngineError =>
  new EngineError('invalid', msg`The archive is no backup of such a site.`, { nextAction: msg`Choose another backup.` })

/**
 * The manifest of an archive, and the bytes of what is in it. Throws EngineError `invalid` for one without, of a later version, or without the
 * address of its site. @param onFile gets each file that it names
 */
export async function manifestIn(
  archive: string,
  onFile: (file: ManifestFile) => void = () => undefined,
): Promise<{ manifest: ManifestSummary; bytes: number }> {
  let bytes = 0
  try {
    const manifest = await readManifest(manifestTextIn(archive), (file) => {
      bytes += file.size
      onFile(file)
    })
    // It is used last, when the rest is in place.
    if (!isAddress(manifest.url)) throw noBackup()
    return { manifest, bytes: bytes + (manifest.database?.bytes ?? 0) }
  } catch (error) {
    // A disk that fails says nothing about the archive.
    throw error instanceof Error && 'syscall' in error ? error : noBackup()
  }
}

const isAddress = (url: string): boolean => /^https?:$/.test(URL.parse(url)?.protocol ?? '')

/** The files of an archive as a tar file of their own, compressed. The configuration of a WordPress stays that of the server. */
export function filesIn(archive: string, type: SiteManifest['type']): AsyncIterable<Buffer> {
  const left = type === 'wp' ? 'wp-config.php' : ''
  const begin = `${exportNames.files}/`
  const members = async function* (): AsyncGenerator<TarMember, void, undefined> {
    for await (const { header, content } of membersOf(archive)) {
      const path = header.name.startsWith(begin) ? header.name.slice(begin.length) : ''
      if (path === '' || path === left || header.type === 'other') {
        for await (const _chunk of content);
        continue
      }
      memberPath(Buffer.from(path))
      yield { header: { ...header, name: path, mode: header.mode & 0o777 }, content }
    }
  }
  return compressed(packTar(members()))
}

/** The dump of an archive, compressed. */
export function dumpIn(archive: string): AsyncIterable<Buffer> {
  const dump = async function* (): AsyncGenerator<Buffer, void, undefined> {
    for await (const { header, content } of membersOf(archive))
      for await (const chunk of content) if (header.name === exportNames.dump) yield chunk
  }
  return compressed(dump())
}

/** Content as gzip, for the way to a server. */
export function compressed(content: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  const zipped = createGzip({ level: 1 })
  // Its error is that of what reads it.
  pipeline(Readable.from(content, { objectMode: false }), zipped, () => undefined)
  return zipped
}
