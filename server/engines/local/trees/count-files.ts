import { openFolder } from '#server/platform/trees/folder.ts'
import { walkTree } from '#server/platform/trees/walk.ts'
import type { SiteChanges } from '../../site-backups.ts'

/** What is counted. */
export interface CountInput {
  readonly path: string
  /** Files and folders in it that are left out. */
  readonly without: readonly string[]
  /** Milliseconds since 1970. */
  readonly since: number
  /** After so many it ends. */
  readonly entries: number
}

/** Counts files, and those that were changed since a time. Follows no links; synchronous. */
export function countFiles({ path, without, since, entries }: CountInput): SiteChanges['files'] {
  const root = openFolder(path)
  let [seen, count, changed, complete] = [0, 0, 0, true]
  try {
    for (const entry of walkTree(root)) {
      seen += 1
      if (entry.skipped !== null || seen > entries) complete = false
      if (seen > entries) break
      if (entry.kind !== 'file') continue
      const name = entry.path.toString('utf8')
      if (without.some((left) => name === left || name.startsWith(`${left}/`))) continue
      const stats = entry.folder.statsOf(entry.name)
      if (stats === null) continue
      count += 1
      if (stats.mtimeMs >= since) changed += 1
    }
  } finally {
    root.close()
  }
  return { count, changed, complete }
}
