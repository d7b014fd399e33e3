import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { checkedContent, type UnpackMember } from '#server/platform/tree-files/unpack-members.ts'
import { expandsTooFar, refuseExpansion } from '#server/platform/tree-files/zip-entries.ts'
import { maxImportBytes } from '#shared/rules/site-imports.ts'

/** The first bytes of a content, as far as they can be read: what is damaged is found out when it is read whole. */
export async function headOf(content: AsyncIterable<Buffer>, length: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of content) {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes >= length) break
    }
  } catch {
    // Its beginning is all that is asked for.
  }
  return Buffer.concat(chunks).subarray(0, length)
}

/** The content of a member, unchecked. */
export async function* contentOf(member: UnpackMember): AsyncGenerator<Buffer, void, undefined> {
  yield* await member.read()
}

/** The whole content of a small member, checked; null if it is larger than `most` bytes. Throws FileRefusal if it is damaged. */
export async function smallContentOf(member: UnpackMember, most: number): Promise<Buffer | null> {
  if (member.size === null || member.size > most) return null
  const chunks: Buffer[] = []
  for await (const chunk of checkedContent(member)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/**
 * Unpacks gzip, also several streams in a row, as they come when files are appended to one another (RFC 1952, 2.2). Throws
 * FileRefusal when it expands as no member of a ZIP archive may, or to more than `most` bytes: gzip does not say it before.
 */
export async function* gunzip(
  content: AsyncIterable<Buffer>,
  path: string,
  most = maxImportBytes,
): AsyncGenerator<Buffer, void, undefined> {
  let [packed, size] = [0, 0]
  async function* counted(): AsyncGenerator<Buffer, void, undefined> {
    for await (const chunk of content) {
      packed += chunk.length
      yield chunk
    }
  }
  const source = Readable.from(counted(), { objectMode: false })
  // Errors of either stream are those of the last one, which the reader gets.
  const unpacked: AsyncIterable<Buffer> = pipeline(source, createGunzip({ chunkSize: 65_536 }), () => undefined)
  for await (const chunk of unpacked) {
    size += chunk.length
    if (size > most || expandsTooFar(size, packed)) throw refuseExpansion(path)
    yield chunk
  }
}

/** A member with what a member has packed with gzip. How large it is, and whether it is whole, only reading it tells. */
export function gunzipped(member: UnpackMember, path: string): UnpackMember {
  return {
    path,
    isFolder: false,
    size: null,
    crc32: null,
    read: async () => gunzip(checkedContent(member), member.path),
  }
}

/** Each folder once: every part of a set has those of its files, and Duplicator may name one again. */
export function withoutRepeatedFolders(members: readonly UnpackMember[]): UnpackMember[] {
  const seen = new Set<string>()
  return members.filter(({ path, isFolder }) => {
    if (!isFolder) return true
    if (seen.has(path)) return false
    seen.add(path)
    return true
  })
}
