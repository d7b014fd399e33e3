import { createHash } from 'node:crypto'
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
  const expected = new Map<string, string>()
  for (const { path, sha256 } of manifest?.files ?? []) expected.set(`${exportNames.files}/${path}`, sha256)
  if (manifest?.database) expected.set(manifest.database.file, manifest.database.sha256)
  let more = 0
  const names: string[] = []
  const add = (path: string): void => {
    if (names.length < maxNamed) names.push(path.slice(0, 200))
    else more += 1
  }
  return {
    checked: (member) => {
      if (manifest === null || member.isFolder) return member
      const { path } = member
      const sum = expected.get(path)
      if (sum === undefined) {
        if (path.startsWith(`${exportNames.files}/`)) add(path)
        return member
      }
      return {
        ...member,
        read: async () =>
          compared(member, sum, (isSame) => {
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
  expected: string,
  onEnd: (isSame: boolean) => void,
): AsyncGenerator<Buffer, void, undefined> {
  const sum = createHash('sha256')
  for await (const chunk of checkedContent(member)) {
    sum.update(chunk)
    yield chunk
  }
  onEnd(sum.digest('hex') === expected)
}
