import { createReadStream } from 'node:fs'
import { pipeline, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { createGzip, createZstdDecompress } from 'node:zlib'
import { packTar, tarMembers, type TarMember } from '#server/platform/files/tar.ts'
import { memberPath } from '#server/platform/tree-files/zip-entries.ts'
import { msg } from '#shared/localized-message.ts'
import { parseJson } from '#shared/parse-json.ts'
import { EngineError } from '../engine.ts'
import { exportFormat, exportNames, maxManifestBytes, siteManifest, type SiteManifest } from '../site-manifest.ts'

/** The error of an archive that is none, or of another kind of site. */
export const noBackup = (): EngineError =>
  new EngineError('invalid', msg`The archive is no backup of such a site.`, { nextAction: msg`Choose another backup.` })

/** Members of an archive, whose content is passed on as it is read. */
function membersOf(archive: string): AsyncGenerator<TarMember, void, undefined> {
  const unpacked = createZstdDecompress()
  // Its error is that of what reads it.
  pipeline(createReadStream(archive), unpacked, () => undefined)
  return tarMembers(unpacked)
}

/** The manifest of an archive. Throws EngineError `invalid` for one without, or of a later version. */
export async function manifestIn(archive: string): Promise<SiteManifest> {
  try {
    return await readManifest(archive)
  } catch (error) {
    // A disk that fails says nothing about the archive.
    throw error instanceof Error && ('syscall' in error || error instanceof EngineError) ? error : noBackup()
  }
}

async function readManifest(archive: string): Promise<SiteManifest> {
  for await (const { header, content } of membersOf(archive)) {
    const isIt = header.name === exportNames.manifest && header.size <= maxManifestBytes
    if (!isIt) {
      for await (const _chunk of content);
      continue
    }
    const bytes = await buffer(Readable.from(content))
    const { data } = siteManifest.safeParse(parseJson(bytes.toString('utf8')))
    if (data !== undefined && data.version <= exportFormat.version) return data
  }
  throw noBackup()
}

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

function compressed(content: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  const zipped = createGzip({ level: 1 })
  // Its error is that of what reads it.
  pipeline(Readable.from(content, { objectMode: false }), zipped, () => undefined)
  return zipped
}
