import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createZstdCompress } from 'node:zlib'
import { isOfFullDisk } from '#server/platform/files/disk-space.ts'
import { roomOn } from '#server/platform/files/disk-space.ts'
import { packTar, tarMembers, type TarMember } from '#server/platform/files/tar.ts'
import { createRowCounter } from '#server/platform/mysql/count-rows.ts'
import { withoutDefiners } from '#server/platform/mysql/without-definers.ts'
import { memberPath } from '#server/platform/tree-files/zip-entries.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError, type StepContext } from '../engine.ts'
import { configForHosts, readmeOf } from '../host-files.ts'
import {
  exportNames,
  manifestBytes,
  manifestPieces,
  maxManifestFiles,
  othersNotPacked,
  type SiteManifest,
} from '../site-manifest.ts'

/** A manifest without what is found out while the archive is written. */
export type ManifestHead = Omit<SiteManifest, 'database' | 'files' | 'tables'>

/** What an archive is made of. */
export interface ArchiveParts {
  /** Folder of ours, which only we can enter. */
  readonly folder: string
  readonly manifest: ManifestHead
  /** The tar file of the files, compressed by gzip. */
  readonly files: AsyncIterable<Buffer>
  /** The dump, compressed by gzip; null for a site without a database. */
  readonly dump: AsyncIterable<Buffer> | null
}

/** What an archive has of the files that a server sent. */
interface Packed {
  readonly files: SiteManifest['files']
  /** Links and special files, which are left out. */
  others: number
}

type About = Pick<SiteManifest, 'type' | 'url' | 'network' | 'table_prefix' | 'constants'>

/** What is said to whoever opens the archive. */
export const readmeFor = ({ type, url, network }: About, hasDatabase: boolean): string =>
  readmeOf(type === 'wp' ? 'wp' : hasDatabase ? 'database' : 'files', url, network ?? null)

/** The configuration that the archive of a WordPress has. */
export const configOf = ({ table_prefix: prefix, url, network: kind, constants = {} }: About): string =>
  configForHosts({
    ...{ prefix: prefix ?? 'wp_', constants },
    network: kind == null ? null : { host: new URL(url).host, kind },
  })

/** Where the archive and its manifest are, when they are complete. */
export const archivePaths = (folder: string) => ({
  archive: join(folder, 'site.tar.zst'),
  manifest: join(folder, exportNames.manifest),
})

/**
 * Writes a backup's archive in the portable format, from what a server sent: everything is checked, because the server can be hostile.
 * Checksums are those of what is packed. Memory is bounded; a failed one leaves nothing.
 */
export async function writeArchive({ folder, manifest, files, dump }: ArchiveParts, step: StepContext): Promise<void> {
  const { signal } = step
  const paths = archivePaths(folder)
  const temporary = join(folder, 'new')
  const sql = join(folder, exportNames.dump)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  try {
    const database = dump === null ? null : await writeDump(dump, sql, signal)
    if (manifest.type === 'wp' && database !== null && Object.keys(database.tables).length === 0) throw noTables()
    const packed: Packed = { files: [], others: 0 }
    const whole = (): SiteManifest => ({
      ...manifest,
      tables: database?.tables ?? {},
      database: database === null ? null : { file: exportNames.dump, bytes: database.bytes, sha256: database.sha256 },
      files: packed.files,
      not_packed: othersNotPacked(packed.others),
    })
    const members = async function* (): AsyncGenerator<TarMember, void, undefined> {
      yield textMember(exportNames.readme, readmeFor(manifest, database !== null))
      yield* filesOf(files, packed, step)
      if (manifest.type === 'wp') yield ownFile('wp-config.php', configOf(manifest), packed.files)
      if (database !== null)
        yield { header: headerOf(exportNames.dump, database.bytes), content: createReadStream(sql) }
      const text = whole()
      yield { header: headerOf(exportNames.manifest, manifestBytes(text)), content: manifestPieces(text) }
    }
    const room = roomOn(folder, noDisk)
    const content = Readable.from(packTar(members()), { objectMode: false })
    await pipeline(content, createZstdCompress(), room, createWriteStream(temporary, { mode: 0o600 }), { signal })
    const file = await open(temporary, 'r+')
    await file.sync()
    await file.close()
    await writeFile(paths.manifest, manifestPieces(whole()), { mode: 0o600 })
    await rename(temporary, paths.archive)
    step.log(`Packed ${packed.files.length} files into ${Math.ceil((await stat(paths.archive)).size / 1_048_576)} MB`)
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw translated(error, signal)
  }
  await rm(sql, { force: true })
}

/** Writes the dump as it is packed, and says what it has. */
async function writeDump(
  dump: AsyncIterable<Buffer>,
  path: string,
  signal: AbortSignal,
): Promise<{ bytes: number; sha256: string; tables: Record<string, number> }> {
  const { through, rows } = createRowCounter()
  const sum = createHash('sha256')
  let bytes = 0
  await pipeline(
    Readable.from(dump, { objectMode: false }),
    createGunzip(),
    roomOn(join(path, '..'), noDisk),
    withoutDefiners(),
    through,
    new Transform({
      transform(chunk: Buffer, _encoding, done) {
        sum.update(chunk)
        bytes += chunk.length
        done(null, chunk)
      },
    }),
    createWriteStream(path, { mode: 0o600 }),
    { signal },
  )
  return { bytes, sha256: sum.digest('hex'), tables: Object.fromEntries(rows) }
}

/** The members of the server's tar file, as they are packed. Links and special files are left out. */
async function* filesOf(
  files: AsyncIterable<Buffer>,
  packed: Packed,
  step: StepContext,
): AsyncGenerator<TarMember, void, undefined> {
  const source = Readable.from(files, { objectMode: false })
  const unzipped = createGunzip()
  const feeding = pipeline(source, unzipped, { signal: step.signal })
  // Its error is that of what it feeds.
  feeding.catch(() => undefined)
  const seen = new Set<string>()
  for await (const { header, content } of tarMembers(unzipped)) {
    if (header.type === 'other') {
      packed.others += 1
      for await (const _chunk of content);
      continue
    }
    const path = packedPath(header.name)
    if (path === '') continue
    if (seen.has(path)) throw refused(path)
    seen.add(path)
    if (seen.size > maxManifestFiles) throw tooMany()
    const name = `${exportNames.files}/${path}`
    const about = { ...header, mode: header.mode & 0o777 }
    if (header.type === 'directory') {
      yield { header: { ...about, name: `${name}/`, size: 0 }, content: [] }
      continue
    }
    const sum = createHash('sha256')
    yield { header: { ...about, name }, content: hashed(content, sum) }
    packed.files.push({ path, size: header.size, sha256: sum.digest('hex') })
  }
  await feeding
}

async function* hashed(
  content: Iterable<Buffer> | AsyncIterable<Buffer>,
  sum: ReturnType<typeof createHash>,
): AsyncGenerator<Buffer, void, undefined> {
  for await (const chunk of content) {
    sum.update(chunk)
    yield chunk
  }
}

/** A path below the site's files; '' for that of all. Throws EngineError `invalid` for a name that could not be restored. */
export function packedPath(name: string): string {
  const end = name.endsWith('/') ? -1 : undefined
  const path = name.slice(name.startsWith('./') ? 2 : 0, end)
  if (path === '' || path === '.') return ''
  // What is no text arrives as this character.
  if (path.includes('\uFFFD')) throw refused(path)
  try {
    return memberPath(Buffer.from(path)).path
  } catch (error) {
    throw refused(path, error)
  }
}

const refused = (path: string, cause?: unknown): EngineError =>
  new EngineError(
    'invalid',
    msg`The site has a file or folder whose name could not be restored: ${path.slice(0, 200)}.`,
    { nextAction: msg`Rename it on the server, then try again.`, cause },
  )

/** The error of a site with more files than a manifest names. */
export const tooMany = (): EngineError =>
  new EngineError('invalid', msg`The site has more files and folders than a backup can list.`, {
    nextAction: msg`Delete files that it does not need.`,
  })

/** A backup of a WordPress without content would look like one. */
export const noTables = (): EngineError =>
  new EngineError('unavailable', msg`The dump of the database has no tables.`, {
    nextAction: msg`Look at the database of the site, then try again.`,
  })

const headerOf = (name: string, size: number): TarMember['header'] => ({
  ...{ name, size, type: 'file', mode: 0o644 },
  mtime: Math.floor(Date.now() / 1000),
})

function textMember(name: string, text: string): TarMember {
  const bytes = Buffer.from(text)
  return { header: headerOf(name, bytes.length), content: [bytes] }
}

/** A file that the archive has in place of the site's own. */
function ownFile(path: string, text: string, packed: SiteManifest['files']): TarMember {
  const bytes = Buffer.from(text)
  packed.push({ path, size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') })
  return textMember(`${exportNames.files}/${path}`, text)
}

/** The error of a disk of ours that is full. */
export const noDisk = (): EngineError =>
  new EngineError('unavailable', msg`The disk of this installation has no room to put the backup together.`, {
    nextAction: msg`Make room on the disk, then try again.`,
  })

/** What is wrong with content that a server sent is an error of ours to word; everything else is as it is. */
function translated(error: unknown, signal: AbortSignal): unknown {
  signal.throwIfAborted()
  if (!(error instanceof Error)) return error
  const code: unknown = Reflect.get(error, 'code')
  if (isOfFullDisk(error)) return noDisk()
  const isDamage = /^The tar archive /.test(error.message) || (typeof code === 'string' && /^Z_/.test(code))
  if (!isDamage) return error
  return new EngineError('unavailable', msg`What the server packed cannot be read.`, {
    nextAction: msg`Retry. If it goes wrong again, look at the server.`,
    cause: error,
  })
}
