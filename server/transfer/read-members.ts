import type { Keyring } from '#server/platform/secrets/keyring.ts'
import type { TarHeader, TarSink } from '#server/platform/files/tar.ts'
import { readArchive } from './archive-file.ts'
import { memberOf, parseEnd, parseManifest, type End, type Manifest, type Member } from './format.ts'
import { truncatedArchive, damagedArchive, invalidArchive } from './archive-errors.ts'

/** Maximum size of members that are read into memory: manifest, end, a site's record. */
const maxText = 8 * 1024 * 1024

/** A member with content: rows, an upload, an entry of a site. */
export type Content = Exclude<Member, { kind: 'manifest' | 'end' }>

/** Callbacks for the members of an archive, in archive order. */
export interface ArchiveReader {
  manifest(manifest: Manifest): Promise<void>
  /** Returns the destination of a member's bytes; null to skip them. */
  content(member: Content, header: TarHeader): Promise<TarSink | null>
}

/**
 * Reads a whole archive and validates it: known names only, only files and folders, the manifest first, a correct end last.
 * Throws `StartupError`; anything passed to `reader` until then must be discarded.
 */
export async function readMembers(
  path: string,
  ring: Keyring,
  reader: ArchiveReader,
  signal: AbortSignal,
): Promise<{ manifest: Manifest; end: End }> {
  let manifest: Manifest | null = null
  let end: End | null = null
  let members = 0
  const excluded = new Set<string>()
  await readArchive(
    path,
    ring,
    async (header) => {
      if (header.type === 'other' || end !== null) throw invalidArchive('what is neither a file nor a folder')
      const member = memberOf(header.name)
      if (header.type === 'directory' && (member.kind !== 'site' || header.size > 0))
        throw invalidArchive('a strange folder')
      if ((manifest === null) !== (member.kind === 'manifest')) throw invalidArchive('its members in another order')
      members += 1
      if (member.kind === 'manifest')
        return textSink(header, async (text) => {
          const found = parseManifest(text)
          manifest = found
          for (const { name } of found.without) excluded.add(name)
          await reader.manifest(found)
        })
      if (member.kind === 'end')
        return textSink(header, (text) => {
          end = parseEnd(text)
        })
      if (member.kind === 'site' && excluded.has(member.id)) throw invalidArchive('files of a site that it leaves out')
      return reader.content(member, header)
    },
    signal,
  )
  const found = { manifest: manifest as Manifest | null, end: end as End | null }
  if (found.manifest === null || found.end === null) throw truncatedArchive()
  // The end member counts the members before it.
  if (found.end.members !== members - 1) throw damagedArchive()
  return { manifest: found.manifest, end: found.end }
}

/** Collects a short member as text. */
export function textSink(header: TarHeader, use: (text: string) => void | Promise<void>): TarSink {
  if (header.size > maxText) throw invalidArchive('an oversized description')
  const chunks: Buffer[] = []
  return {
    write: (chunk) => {
      chunks.push(Buffer.from(chunk))
    },
    end: () => use(Buffer.concat(chunks).toString('utf8')),
  }
}
