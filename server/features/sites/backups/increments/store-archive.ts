import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { addAbortSignal, pipeline, Readable, type Writable } from 'node:stream'
import { createZstdCompress } from 'node:zlib'
import { unzstd } from '#server/platform/files/unzstd.ts'
import type { JobContext } from '#server/contracts/job.ts'
import type { PackedSite } from '#server/engines/site-backups.ts'
import type { SiteBackup } from '#shared/doctypes/site-backup.ts'
import type { SitesDeps } from '../../deps.ts'
import { encrypted, hashed } from '../archive-cipher.ts'
import type { BackupStore } from '../backup-store.ts'
import { fullAsError } from '../no-room.ts'
import { holdBase, possibleBase, sharesEnough } from './chains.ts'
import { forgetContent, keepContent, knownContent } from './content-lists.ts'
import { bitsFor } from './cut-content.ts'
import { incrementOf, packIncrement } from './increment-archive.ts'
import { compareContent, contentOf, type Compared, type KnownContent } from './known-content.ts'

interface Target {
  readonly backup: SiteBackup
  readonly identity: string
  readonly store: BackupStore
  /** A file for content in clear, in a folder that the caller removes. */
  readonly added: string
}

/** What the document gets to know of a stored archive. */
type Stored = Pick<SiteBackup, 'size' | 'stored_size' | 'sha256' | 'chain' | 'needs'>

/** Stores the archive of a site, encrypted: all of it, or only what is new since the backup before. */
export async function storeArchive(
  deps: SitesDeps,
  target: Target,
  packed: PackedSite,
  step: JobContext,
): Promise<Stored> {
  const { backup, identity } = target
  // Of an attempt before this one: it would not be that of the archive.
  await forgetContent(deps, backup.name)
  const bits = bitsFor(await unpackedBytes(packed))
  const base = await step.transaction((tx) => possibleBase(tx, backup, packed.file.size))
  const known = base && comparable(await knownContent(deps, base, identity), bits)
  const isHeld = base !== null && known !== null && (await step.transaction((tx) => holdBase(tx, backup.name, base)))
  const increment = isHeld ? await storeNew(target, packed, known, step) : null
  const { content, ...stored } = increment
    ? { ...increment, chain: base?.chain ?? null }
    : await storeWhole(target, packed.file, bits, step)
  if (content) await keepContent(deps, backup.name, identity, content)
  return stored
}

/** About the bytes of the unpacked archive. */
async function unpackedBytes({ manifest, files }: PackedSite): Promise<number> {
  let bytes = manifest.database?.bytes ?? 0
  // With its header, and its line in the manifest.
  for await (const { size } of files()) bytes += size + 1_024
  return bytes
}

/** What is known, unless the site is now so much larger or smaller that it is to be cut otherwise. */
const comparable = (known: KnownContent | null, bits: number): CutContent | null =>
  isCut(known) && Math.abs(known.bits - bits) <= 1 ? known : null

/** What is known by the pieces that it was cut into here. */
type CutContent = KnownContent & { readonly bits: number }

const isCut = (known: KnownContent | null): known is CutContent => known !== null && known.bits !== null

async function storeWhole(
  { backup, identity, store }: Target,
  file: PackedSite['file'],
  bits: number,
  step: JobContext,
): Promise<Stored & { content: KnownContent | null }> {
  const sum = createHash('sha256')
  const unpacked = unzstd()
  const content = contentOf(backup.name, unpacked, bits)
  const archive = Readable.from(hashed(passedOn(file.open(), unpacked), sum), { objectMode: false })
  content.catch(() => archive.destroy())
  const written = store.write(backup, await encrypted(identity, archive), step.signal)
  // What ends the writing ends the reading, too, and says why.
  const read = content.catch((error: unknown) => written.then(() => Promise.reject(error)))
  const [bytes, known] = await Promise.all([written, read])
  step.log(`Stored ${Math.ceil(bytes / 1_048_576)} MB, encrypted`)
  return {
    size: file.size,
    stored_size: bytes,
    sha256: sum.digest('hex'),
    chain: backup.name,
    needs: null,
    content: known,
  }
}

/** Passes content on, and writes it to somebody else. */
async function* passedOn(content: AsyncIterable<Buffer>, into: Writable): AsyncGenerator<Buffer, void, undefined> {
  try {
    for await (const chunk of content) {
      if (!into.write(chunk)) await once(into, 'drain')
      yield chunk
    }
    into.end()
  } finally {
    if (!into.writableEnded) into.destroy()
  }
}

/** Stores what is new; null, and nothing, if that is nearly all or cannot be listed. */
async function storeNew(
  target: Target,
  { file, manifest }: PackedSite,
  known: CutContent,
  step: JobContext,
): Promise<(Omit<Stored, 'chain'> & { content: KnownContent }) | null> {
  const { backup, identity, store, added } = target
  const sum = createHash('sha256')
  try {
    const compared = await compareTo(target, file, known, step)
    if (!compared || !sharesEnough(compared)) return null
    const about = { backup: backup.name, site: manifest.site, created: manifest.created }
    const { content, needs, ...around } = await packIncrement(compared, about)
    const packed: AsyncIterable<Buffer> = pipeline(
      Readable.from(incrementOf(around, added), { objectMode: false }),
      createZstdCompress(),
      () => undefined,
    )
    const archive = Readable.from(hashed(packed, sum), { objectMode: false })
    const bytes = await store.write(backup, await encrypted(identity, archive), step.signal)
    step.log(`Stored ${Math.ceil(bytes / 1_048_576)} MB, encrypted: what is new since the backup before`)
    return { size: file.size, stored_size: bytes, sha256: sum.digest('hex'), needs, content }
  } catch (error) {
    throw fullAsError(error)
  } finally {
    await rm(added, { force: true })
  }
}

async function compareTo(
  { backup, added }: Target,
  file: PackedSite['file'],
  known: CutContent,
  { signal }: JobContext,
): Promise<Compared | null> {
  await mkdir(dirname(added), { recursive: true, mode: 0o700 })
  const into = await open(added, 'w', 0o600)
  try {
    const unzip = addAbortSignal(signal, unzstd())
    const unpacked: AsyncIterable<Buffer> = pipeline(file.open(), unzip, () => undefined)
    return await compareContent(backup.name, unpacked, known, into)
  } finally {
    await into.close()
  }
}
