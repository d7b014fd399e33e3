import { createHash } from 'node:crypto'
import { exportNames, type ManifestFile, type SiteManifest } from '#server/engines/site-manifest.ts'
import { checkedContent, type UnpackMember } from '#server/platform/tree-files/unpack-members.ts'

const maxNamed = 20
/** What a backup has besides the files and the dump that its manifest names. */
const unnamed: ReadonlySet<string> = new Set([exportNames.manifest, exportNames.readme])

/** Compares what is read of an archive with its manifest; null: with nothing. */
export interface SumCheck {
  /** The member, whose content is compared while it is read. */
  checked(member: UnpackMember): UnpackMember
  /** What was not as the manifest says, once everything is read; what nobody read is missing. */
  damaged(): { readonly count: number; readonly names: readonly string[] }
}

/** Creates it; nothing was read yet. */
export function createSumCheck(manifest: SiteManifest | null): SumCheck {
  const expected = new Map<string, Pick<ManifestFile, 'size' | 'sha256'>>()
  let more = 0
  const names: string[] = []
  const add = (path: string): void => {
    if (names.length < maxNamed) names.push(path.slice(0, 200))
    else more += 1
  }
  const isNamed = (path: string, file: Pick<ManifestFile, 'size' | 'sha256'>): void => {
    // What is named twice says nothing.
    if (expected.has(path)) add(path)
    expected.set(path, file)
  }
  for (const { path, ...file } of manifest?.files ?? []) isNamed(`${exportNames.files}/${path}`, file)
  const { database = null } = manifest ?? {}
  if (database !== null) isNamed(database.file, { size: database.bytes, sha256: database.sha256 })
  return {
    checked: (member) => {
      if (manifest === null || member.isFolder) return member
      const { path } = member
      const said = expected.get(path)
      if (said === undefined) {
        if (!unnamed.has(path)) add(path)
        return member
      }
      return {
        ...member,
        read: async () =>
          compared(member, said, (isSame) => {
            expected.delete(path)
            if (!isSame) add(path)
          }),
      }
    },
    damaged: () => {
      for (const path of expected.keys()) add(path)
      return { count: names.length + more, names }
    },
  }
}

async function* compared(
  member: UnpackMember,
  { size, sha256 }: Pick<ManifestFile, 'size' | 'sha256'>,
  onEnd: (isSame: boolean) => void,
): AsyncGenerator<Buffer, void, undefined> {
  const sum = createHash('sha256')
  let bytes = 0
  for await (const chunk of checkedContent(member)) {
    sum.update(chunk)
    bytes += chunk.length
    yield chunk
  }
  onEnd(bytes === size && sum.digest('hex') === sha256)
}
