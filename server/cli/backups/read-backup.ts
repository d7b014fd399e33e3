import { createHash } from 'node:crypto'
import { pipeline, Readable } from 'node:stream'
import { unzstd } from '#server/platform/files/unzstd.ts'
import { createManifestComparison, type FileDifference, type FileSum } from '#server/engines/compare-manifest.ts'
import { createManifestReader, NoManifest } from '#server/engines/manifest-reader.ts'
import { exportNames, maxManifestFiles, type ManifestSummary } from '#server/engines/site-manifest.ts'
import { decrypted } from '#server/features/sites/backups/archive-cipher.ts'
import { UnreadableIncrement } from '#server/features/sites/backups/increments/increment-archive.ts'
import { readTar, type TarHeader, type TarSink } from '#server/platform/files/tar.ts'
import { memberPath } from '#server/platform/tree-files/zip-entries.ts'
import { AppError } from '#shared/errors.ts'
import type { BackupSource } from './backup-sources.ts'
import { firstNeeded, wholeArchive, type KeptArchives, type NeededArchive, type Packed } from './whole-archive.ts'

/** Most files and folders. */
const maxMembers = 2 * maxManifestFiles
/** Nothing real becomes so much larger, and small archives do no harm. */
const [maxRatio, harmlessBytes] = [1_000, 64 * 1_048_576]
/** Defects that are named; the others are counted. */
const namedDefects = 20

/** Why a file cannot be read as a backup at all. The message is a sentence for people. */
export class UnreadableBackup extends Error {}

/** A backup that was read to its end. */
export interface ReadBackup {
  readonly manifest: ManifestSummary
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
 * @param kept archives that it needs, and others can need next
 */
export async function readBackup(
  source: BackupSource,
  identity: string | null,
  kept: KeptArchives,
  sink?: MemberSink,
): Promise<ReadBackup> {
  const packed = { bytes: 0 }
  const opens: Readable[] = []
  const unpackedFrom = async (one: BackupSource, packed: Packed): Promise<AsyncIterable<Buffer>> => {
    const content = await opened(one, identity, packed)
    opens.push(content)
    return bounded(
      pipeline(content, unzstd(), () => undefined),
      packed,
    )
  }
  const find = async (name: string): Promise<NeededArchive | null> => {
    const found = await source.beside(name)
    return found && { place: found.place, unpacked: (of) => unpackedFrom(found, of) }
  }
  const unpacked = await unpackedFrom(source, packed)
  const defects = createDefects()
  const comparison = createManifestComparison(defects.add)
  const manifest = createManifestReader()
  let [members, hasManifest] = [0, false]
  try {
    await readTar(bounded(wholeArchive(unpacked, kept, find, packed), packed), async (header) => {
      members += 1
      if (members > maxMembers) throw new UnreadableBackup(`It has more than ${maxMembers} files and folders.`)
      const { name, isFolder } = checked(header)
      if (isFolder) {
        await sink?.folder(name)
        return null
      }
      const isManifest = name === exportNames.manifest
      if (isManifest && hasManifest) throw new UnreadableBackup(`It has an entry twice: ${name}.`)
      hasManifest ||= isManifest
      if (comparison.has(name)) throw new UnreadableBackup(`It has an entry twice: ${name}.`)
      const target = await sink?.file(name, header.size)
      const sum = createHash('sha256')
      return {
        async write(chunk) {
          sum.update(chunk)
          if (isManifest)
            for (const { path, ...expected } of manifest.read(chunk))
              comparison.isNamed(`${exportNames.files}/${path}`, expected)
          await target?.write(chunk)
        },
        async end() {
          comparison.isHere(name, { size: header.size, sha256: sum.digest('hex') })
          await target?.end()
        },
      }
    })
    if (!hasManifest) throw new UnreadableBackup('It is not a backup of Easydash: it has no manifest.json.')
    const said = manifest.end()
    const { database } = said
    if (database) comparison.isNamed(database.file, { size: database.bytes, sha256: database.sha256 })
    comparison.end()
    return { manifest: said, defects: defects.all() }
  } catch (error) {
    throw error instanceof NoManifest ? noManifest(error) : explained(error, sink !== undefined)
  } finally {
    for (const content of opens) content.destroy()
  }
}

/** Where the first archive lies that a backup needs; null if it needs none, or that can't be found out. */
export async function placeOfChain(source: BackupSource, identity: string | null): Promise<string | null> {
  try {
    const content = await opened(source, identity, { bytes: 0 })
    try {
      const needed = await firstNeeded(pipeline(content, unzstd(), () => undefined))
      return needed === null ? null : ((await source.beside(needed))?.place ?? null)
    } finally {
      content.destroy()
    }
  } catch {
    // Reading it says why.
    return null
  }
}

const header = { age: Buffer.from('age-encryption.org/v1\n'), zstd: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]) }

/** The content of a backup, decrypted if it is encrypted. */
async function opened(backup: BackupSource, identity: string | null, packed: Packed): Promise<Readable> {
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

async function* counted(content: AsyncIterable<Buffer>, packed: Packed): AsyncGenerator<Buffer> {
  for await (const chunk of content) {
    packed.bytes += chunk.length
    yield chunk
  }
}

async function* bounded(content: AsyncIterable<Buffer>, packed: Readonly<Packed>): AsyncGenerator<Buffer> {
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

/** What is wrong with a manifest, for people. */
function noManifest({ problem, version }: NoManifest): UnreadableBackup {
  if (problem === 'other')
    return new UnreadableBackup('It is not a backup of Easydash: its manifest.json is of something else.')
  return new UnreadableBackup(
    problem === 'later'
      ? `It was made by a later version of Easydash (format ${version}): update Easydash first.`
      : 'It is damaged: its manifest.json cannot be read.',
  )
}

/** Differences as sentences. So many are named; the others are counted. */
function createDefects() {
  const named: string[] = []
  let more = 0
  return {
    add({ path, found, expected }: FileDifference): void {
      if (named.length < namedDefects) named.push(sentenceOf(path, found, expected))
      else more += 1
    },
    all: () => (more > 0 ? [...named, `${more} more.`] : named),
  }
}

function sentenceOf(path: string, found: FileSum | null, expected: FileSum | null): string {
  if (expected === null) return found === null ? `${path} is in the manifest twice.` : `${path} is not in the manifest.`
  if (found === null) return `${path} is missing.`
  return found.size === expected.size
    ? `${path} was changed: its SHA-256 is ${found.sha256} instead of ${expected.sha256}.`
    : `${path} has ${found.size} bytes instead of ${expected.size}.`
}
