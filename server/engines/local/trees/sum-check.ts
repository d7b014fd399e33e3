import { createHash } from 'node:crypto'
import { createManifestComparison, type FileSum } from '#server/engines/compare-manifest.ts'
import { exportNames, type SiteManifest } from '#server/engines/site-manifest.ts'
import { checkedContent, type UnpackMember } from '#server/platform/tree-files/unpack-members.ts'

const maxNamed = 20

/** Compares what is read of an archive with its manifest; null: with nothing. */
export interface SumCheck {
  /** The member, whose content is compared while it is read. */
  checked(member: UnpackMember): UnpackMember
  /** What was not as the manifest says, once everything is read; what nobody read is missing. */
  damaged(): { readonly count: number; readonly names: readonly string[] }
}

/** Creates it; nothing was read yet. */
export function createSumCheck(manifest: SiteManifest | null): SumCheck {
  const names: string[] = []
  let more = 0
  const comparison = createManifestComparison(({ path }) => {
    if (names.length < maxNamed) names.push(path.slice(0, 200))
    else more += 1
  })
  for (const { path, ...file } of manifest?.files ?? []) comparison.isNamed(`${exportNames.files}/${path}`, file)
  const { database = null } = manifest ?? {}
  if (database !== null) comparison.isNamed(database.file, { size: database.bytes, sha256: database.sha256 })
  return {
    checked(member) {
      if (manifest === null || member.isFolder) return member
      const { path } = member
      const isHere = (found: FileSum): void => comparison.isHere(path, found)
      // It is one too many, also if nobody reads it.
      if (!comparison.expects(path)) isHere({ size: member.size ?? 0, sha256: '' })
      return { ...member, read: async () => summed(member, isHere) }
    },
    damaged: () => {
      comparison.end()
      return { count: names.length + more, names }
    },
  }
}

async function* summed(member: UnpackMember, onEnd: (found: FileSum) => void): AsyncGenerator<Buffer, void, undefined> {
  const sum = createHash('sha256')
  let size = 0
  for await (const chunk of checkedContent(member)) {
    sum.update(chunk)
    size += chunk.length
    yield chunk
  }
  onEnd({ size, sha256: sum.digest('hex') })
}
