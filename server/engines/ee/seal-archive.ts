import { createReadStream } from 'node:fs'
import { text } from 'node:stream/consumers'
import { maxParts, partBytes } from '#server/platform/network/sent-parts.ts'
import type { StepContext } from '../engine.ts'
import type { NewContent, SealedSite, Sealing, TarPiece } from '../site-backups.ts'
import { exportNames, manifestBytes, type SiteManifest } from '../site-manifest.ts'
import { fetchPart, findPart, type PackedName, type PackedPart } from './fetch-packed.ts'
import { unreadable } from './known-content.ts'
import { archivePaths } from './pack-archive.ts'
import { packPart, type ManagedPacking, type Packing } from './pack-parts.ts'
import { sendPart } from './send-part.ts'
import { bytesOf, tarPieces, type TreeItem } from './tar-pieces.ts'

/** What is known of an archive that is on a server. */
export type SealedArchive = Pick<SealedSite, 'size' | 'clear' | 'needs' | 'parts'>

/** What a server put together of a site, and this machine added. */
export interface PutTogether {
  readonly manifest: SiteManifest
  readonly tree: readonly TreeItem[]
  readonly readme: { readonly size: number; readonly sha256: string }
  /** The pieces of its dump. */
  readonly dump: readonly TarPiece[]
  /** Folder of ours that has the manifest. */
  readonly folder: string
}

/** Has a server make the archive of what it put together, all of it or what is new, and encrypt it; null if it has no room for that. */
export async function sealArchive(
  managed: ManagedPacking,
  sealing: Sealing,
  from: PutTogether,
  step: StepContext,
): Promise<SealedArchive | null> {
  const tar = tarOf(from)
  const fresh = await sealing.compare(tar)
  const increment = fresh && (await prepareNew(managed, fresh, { tar, manifest: from.manifest }, step))
  const more = [sealing.recipient, String(partBytes), ...(increment ? [increment.sum] : [])]
  const { token, bytes } = await packPart(managed, 'archive', more, step)
  if (bytes === 0) return null
  const clear = await foundPart(managed, 'archive.clear', token, step)
  const listed = await foundPart(managed, 'archive.sums', token, step)
  if (listed.bytes > maxParts * 98) throw unreadable()
  const { context, packed } = managed
  const sums = await text(fetchPart(context, packed, listed, { signal: step.signal }))
  if (!increment) await keepAll(managed, sealing, { tar, token }, step)
  const packedMb = Math.ceil(bytes / 1_048_576)
  step.log(
    `Packed ${from.manifest.files.length} files into ${packedMb} MB on the server, encrypted${increment ? ': what is new since the backup before' : ''}`,
  )
  return {
    size: increment?.size ?? clear.bytes,
    clear: { bytes: clear.bytes, sha256: clear.sha256 },
    needs: increment?.needs ?? null,
    parts: partsOf(sums, bytes),
  }
}

/** The tar that the server makes of it. */
function tarOf({ manifest, tree, readme, dump, folder }: PutTogether): Iterable<TarPiece> {
  const { manifest: path } = archivePaths(folder)
  const about: TarPiece = { kind: 'own', bytes: manifestBytes(manifest), open: () => createReadStream(path) }
  return tarPieces(
    [{ name: exportNames.readme, content: [{ kind: 'content', bytes: readme.size, sha256: readme.sha256 }] }],
    tree,
    [
      ...(manifest.database ? [{ name: exportNames.dump, content: dump }] : []),
      { name: exportNames.manifest, content: [about] },
    ],
  )
}

interface PreparedNew {
  /** That of the whole tar. */
  readonly sum: string
  /** Bytes of the whole archive. */
  readonly size: number
  readonly needs: readonly string[]
}

/** Gives the server what it needs to pack what is new; null if it can't, and the log says why. */
async function prepareNew(
  managed: ManagedPacking,
  { ranges, pack }: NewContent,
  { tar, manifest }: { readonly tar: Iterable<TarPiece>; readonly manifest: SiteManifest },
  step: StepContext,
): Promise<PreparedNew | null> {
  const { context, packed } = managed
  const { bytes, sha256, token } = await packPart(managed, 'sum', [], step)
  if (bytes !== bytesOf(tar)) {
    step.log(
      bytes === 0
        ? 'Everything is stored: the server has no perl to cut out what is new.'
        : 'Everything is stored: the archive of the server is not as long as its files say.',
    )
    return null
  }
  const whole = await foundPart(managed, 'archive.whole', token, step)
  const { head, tail, needs } = await pack(sha256, manifest)
  const lines = Buffer.from(ranges.map(({ offset, length }) => `${offset} ${length}\n`).join(''))
  for (const [name, content] of Object.entries({ 'new.head': head, 'new.tail': tail, 'new.ranges': lines }))
    await sendPart(context, packed, { script: 'pack-own', args: [packed.id, name] }, inPieces(content), step.signal)
  return { sum: sha256, size: whole.bytes, needs }
}

async function* inPieces(content: Buffer): AsyncGenerator<Buffer, void, undefined> {
  for (let at = 0; at < content.length; at += 1_048_576) yield content.subarray(at, at + 1_048_576)
}

/** Keeps what is known of a full archive, where that is as long as it. */
async function keepAll(
  managed: ManagedPacking,
  sealing: Sealing,
  { tar, token }: { readonly tar: Iterable<TarPiece>; readonly token: string },
  step: StepContext,
): Promise<void> {
  const { bytes } = await foundPart(managed, 'archive.tar', token, step)
  if (bytes === bytesOf(tar)) await sealing.keep(tar)
  else step.log('The next backup is a full one: the archive of the server is not as long as its files say.')
}

/** Finds a part that a server is to have. */
export async function foundPart(
  { context, packed }: Pick<Packing, 'context' | 'packed'>,
  name: PackedName,
  token: string,
  { signal }: Pick<StepContext, 'signal'>,
): Promise<PackedPart> {
  const found = await findPart(context, packed, { name, token, signal })
  if (found) return found
  throw unreadable()
}

/** The parts of an archive by their checksums. */
function partsOf(sums: string, bytes: number): SealedSite['parts'] {
  const lines = sums.split('\n').slice(0, -1)
  const count = Math.ceil(bytes / partBytes)
  if (lines.length !== count) throw unreadable()
  return lines.map((line, at) => {
    const [, sha256, md5] = /^([0-9a-f]{64}) ([0-9a-f]{32})$/.exec(line) ?? []
    if (sha256 === undefined || md5 === undefined) throw unreadable()
    return { bytes: Math.min(partBytes, bytes - at * partBytes), sha256, md5 }
  })
}
