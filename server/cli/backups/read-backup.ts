import { createHash } from 'node:crypto'
import { pipeline, Readable } from 'node:stream'
import { createZstdDecompress } from 'node:zlib'
import {
  exportFormat,
  exportNames,
  maxManifestBytes,
  siteManifest,
  type SiteManifest,
} from '#server/engines/site-manifest.ts'
import { decrypted } from '#server/features/sites/backups/archive-cipher.ts'
import { UnreadableIncrement } from '#server/features/sites/backups/increments/increment-archive.ts'
import { readTar, type TarHeader, type TarSink } from '#server/platform/files/tar.ts'
import { memberPath } from '#server/platform/tree-files/zip-entries.ts'
import { AppError } from '#shared/errors.ts'
import { parseJson } from '#shared/parse-json.ts'
import type { BackupSource } from './backup-sources.ts'
import { wholeArchive } from './whole-archive.ts'

/** Most files and folders: as many as a manifest can name. */
const maxMembers = 400_000
/** Nothing real becomes so much larger, and small archives do no harm. */
const [maxRatio, harmlessBytes] = [1_000, 64 * 1_048_576]
/** Defects that are named; the others are counted. */
const namedDefects = 20

/** Why a file cannot be read as a backup at all. The message is a sentence for people. */
export class UnreadableBackup extends Error {}

/** A backup that was read to its end. */
export interface ReadBackup {
  readonly manifest: SiteManifest
  /** What its content lacks of its manifest, as sentences; empty if all is as the manifest says. */
  readonly defects: readonly string[]
}

/** Receives the members of a backup while it is read. */
export interface MemberSink {
  folder(path: string): Promise<void>
  file(path: string, size: number): Promise<TarSink>
}

/**
 * Reads a backup, encrypted or not, to its end, and compares its content with its manifest. Throws `UnreadableBackup` if it is none, is
 * damaged, or does not open with the key (an identity of age; null: there is none).
 */
export async function readBackup(
  source: BackupSource,
  identity: string | null,
  sink?: MemberSink,
): Promise<ReadBackup> {
  const packed = { bytes: 0 }
  const opens: Readable[] = []
  const unpackedFrom = async (one: BackupSource): Promise<AsyncIterable<Buffer>> => {
    const content = await opened(one, identity, packed)
    opens.push(content)
    return bounded(
      pipeline(content, createZstdDecompress(), () => undefined),
      packed,
    )
  }
  const unpackedOf = async (name: string) => {
    const found = await source.beside(name)
    return found === null ? null : unpackedFrom(found)
  }
  const unpacked = await unpackedFrom(source)
  const found = new Map<string, { size: number; sha256: string }>()
  const manifest: Buffer[] = []
  let members = 0
  try {
    await readTar(wholeArchive(unpacked, unpackedOf), async (header) => {
      members += 1
      if (members > maxMembers) throw new UnreadableBackup(`It has more than ${maxMembers} files and folders.`)
      const { name, isFolder } = checked(header)
      if (isFolder) {
        await sink?.folder(name)
        return null
      }
      if (found.has(name)) throw new UnreadableBackup(`It has an entry twice: ${name}.`)
      if (name === exportNames.manifest && header.size > maxManifestBytes)
        throw new UnreadableBackup('Its manifest is too large.')
      const target = await sink?.file(name, header.size)
      const sum = createHash('sha256')
      return {
        async write(chunk) {
          sum.update(chunk)
          if (name === exportNames.manifest) manifest.push(chunk)
          await target?.write(chunk)
        },
        async end() {
          found.set(name, { size: header.size, sha256: sum.digest('hex') })
          await target?.end()
        },
      }
    })
  } catch (error) {
    throw explained(error, sink !== undefined)
  } finally {
    for (const content of opens) content.destroy()
  }
  const known = parsed(manifest)
  return { manifest: known, defects: defectsIn(known, found) }
}

const header = { age: Buffer.from('age-encryption.org/v1\n'), zstd: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]) }

/** The content of a backup, decrypted if it is encrypted. */
async function opened(backup: BackupSource, identity: string | null, packed: { bytes: number }): Promise<Readable> {
  const stored = await backup.open()
  const { start, whole } = await begun(stored, header.age.length)
  const source = Readable.from(counted(whole, packed), { objectMode: false })
  // Who gives up before the first byte has never started the reading.
  source.once('close', () => stored.destroy())
  if (start.subarray(0, header.zstd.length).equals(header.zstd)) return source
  try {
    if (!start.subarray(0, header.age.length).equals(header.age))
      throw new UnreadableBackup('It is not a backup of Easydash.')
    if (identity === null) throw new UnreadableBackup('It is encrypted: name the recovery key with --key FILE.')
    return await decrypted(identity, source)
  } catch (error) {
    source.destroy()
    if (error instanceof UnreadableBackup || isNotItsFault(error)) throw error
    throw new UnreadableBackup(
      /no identity matched/i.test(String(error))
        ? 'The key does not open it: it is not of this organization, or not of this installation.'
        : 'It is damaged: it cannot be decrypted.',
      { cause: error },
    )
  }
}

/** The first bytes of a stream, and all of it. */
async function begun(stored: Readable, bytes: number): Promise<{ start: Buffer; whole: AsyncIterable<Buffer> }> {
  const chunks = (stored as AsyncIterable<Buffer>)[Symbol.asyncIterator]()
  let start = Buffer.alloc(0)
  for (let isOver = false; !isOver && start.length < bytes;) {
    const { value, done } = await chunks.next()
    isOver = done === true
    if (!isOver) start = Buffer.concat([start, value])
  }
  const whole = async function* () {
    yield start
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value
  }
  return { start, whole: whole() }
}

/** Errors of the disk and of a store say nothing about a backup. */
const isNotItsFault = (error: unknown): boolean =>
  error instanceof AppError || (error instanceof Error && 'syscall' in error)

async function* counted(content: AsyncIterable<Buffer>, packed: { bytes: number }): AsyncGenerator<Buffer> {
  for await (const chunk of content) {
    packed.bytes += chunk.length
    yield chunk
  }
}

async function* bounded(content: AsyncIterable<Buffer>, packed: { readonly bytes: number }): AsyncGenerator<Buffer> {
  let size = 0
  for await (const chunk of content) {
    size += chunk.length
    if (size > harmlessBytes && size > packed.bytes * maxRatio)
      throw new UnreadableBackup('It expands too far to be a backup.')
    yield chunk
  }
}

function checked({ name, type }: TarHeader): { name: string; isFolder: boolean } {
  const { path, isFolder } = memberPath(Buffer.from(name))
  if (type === 'other' || (isFolder && type !== 'directory'))
    throw new UnreadableBackup(`It has an entry that is a link or a special file: ${path}.`)
  return { name: path, isFolder: type === 'directory' }
}

/** Errors of the disk keep their own words; all others say something about the archive. */
function explained(error: unknown, writes: boolean): unknown {
  if (error instanceof UnreadableBackup || error instanceof AppError) return error
  if (error instanceof UnreadableIncrement) return new UnreadableBackup(error.message, { cause: error })
  if (error instanceof Error && 'syscall' in error && (writes || error.syscall === 'read' || error.syscall === 'write'))
    return error
  const reason = error instanceof Error ? error.message : String(error)
  return new UnreadableBackup(`It is damaged, or no backup: ${reason.slice(0, 200)}`, { cause: error })
}

function parsed(chunks: readonly Buffer[]): SiteManifest {
  if (chunks.length === 0) throw new UnreadableBackup('It is not a backup of Easydash: it has no manifest.json.')
  const value = parseJson(Buffer.concat(chunks).toString('utf8'))
  const [format, version] =
    typeof value === 'object' && value !== null
      ? [Reflect.get(value, 'format'), Number(Reflect.get(value, 'version'))]
      : []
  if (format !== exportFormat.name)
    throw new UnreadableBackup('It is not a backup of Easydash: its manifest.json is of something else.')
  if (version === undefined || version > exportFormat.version)
    throw new UnreadableBackup(
      `It was made by a later version of Easydash (format ${String(version)}): update Easydash first.`,
    )
  const manifest = siteManifest.safeParse(value)
  if (!manifest.success) throw new UnreadableBackup('It is damaged: its manifest.json cannot be read.')
  return manifest.data
}

function defectsIn(manifest: SiteManifest, found: ReadonlyMap<string, { size: number; sha256: string }>): string[] {
  const wanted = new Map(manifest.files.map((file) => [`${exportNames.files}/${file.path}`, file]))
  const { database } = manifest
  if (database) wanted.set(database.file, { path: database.file, size: database.bytes, sha256: database.sha256 })
  const defects: string[] = []
  for (const [path, { size, sha256 }] of wanted) {
    const is = found.get(path)
    if (!is) defects.push(`${path} is missing.`)
    else if (is.size !== size) defects.push(`${path} has ${is.size} bytes instead of ${size}.`)
    else if (is.sha256 !== sha256)
      defects.push(`${path} was changed: its SHA-256 is ${is.sha256} instead of ${sha256}.`)
  }
  const own = new Set<string>([exportNames.manifest, exportNames.readme])
  for (const path of found.keys())
    if (!wanted.has(path) && !own.has(path)) defects.push(`${path} is not in the manifest.`)
  const more = defects.length - namedDefects
  return more > 0 ? [...defects.slice(0, namedDefects), `${more} more.`] : defects
}
