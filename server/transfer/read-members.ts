import type { Keyring } from '#server/platform/secrets/keyring.ts'
import type { TarHeader, TarSink } from '#server/platform/files/tar.ts'
import { readArchive } from './archive-file.ts'
import { memberOf, parseEnd, parseManifest, type End, type Manifest, type Member } from './format.ts'
import { cutShort, damaged, unfit } from './refusals.ts'

/** Most bytes of the members that are read as a whole: manifest, end, a site's record. */
const mostText = 8 * 1024 * 1024

/** A member that holds something: rows, an upload, a piece of a site. */
export type Content = Exclude<Member, { kind: 'manifest' | 'end' }>

/** Who is told of what an archive holds, in its order. */
export interface ArchiveReader {
  manifest(manifest: Manifest): Promise<void>
  /** Where a member's bytes go; null: nowhere. */
  content(member: Content, header: TarHeader): Promise<TarSink | null>
}

/**
 * Reads a whole archive and checks that it is what an export writes: known names only, nothing but files and folders, the
 * manifest first, the end last and true. Throws `StartupError`; what was told of until then is not to be believed.
 */
export async function readMembers(
  path: string,
  ring: Keyring,
  reader: ArchiveReader,
  signal: AbortSignal,
): Promise<End> {
  let manifest: Manifest | null = null
  let end: End | null = null
  let members = 0
  const leftOut = new Set<string>()
  await readArchive(
    path,
    ring,
    async (header) => {
      if (header.type === 'other' || end !== null) throw unfit('what is neither a file nor a folder')
      const member = memberOf(header.name)
      if (header.type === 'directory' && (member.kind !== 'site' || header.size > 0)) throw unfit('a strange folder')
      if ((manifest === null) !== (member.kind === 'manifest')) throw unfit('its members in another order')
      members += 1
      if (member.kind === 'manifest')
        return textSink(header, async (text) => {
          const found = parseManifest(text)
          manifest = found
          for (const { name } of found.without) leftOut.add(name)
          await reader.manifest(found)
        })
      if (member.kind === 'end')
        return textSink(header, (text) => {
          end = parseEnd(text)
        })
      if (member.kind === 'site' && leftOut.has(member.id)) throw unfit('files of a site that it leaves out')
      return reader.content(member, header)
    },
    signal,
  )
  const found = end as End | null
  if (found === null) throw cutShort()
  // The end counts those before it.
  if (found.members !== members - 1) throw damaged()
  return found
}

/** Collects a short member. */
export function textSink(header: TarHeader, use: (text: string) => void | Promise<void>): TarSink {
  if (header.size > mostText) throw unfit('an oversized description')
  const chunks: Buffer[] = []
  return {
    write: (chunk) => {
      chunks.push(Buffer.from(chunk))
    },
    end: () => use(Buffer.concat(chunks).toString('utf8')),
  }
}
