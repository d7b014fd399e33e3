import { EngineError } from '#server/engines/engine.ts'
import type { SiteFiles } from '#server/engines/site-files.ts'
import type { SiteRef } from '#server/engines/site-ref.ts'
import { folderOf, pathIn, siteFileLimits } from '#shared/rules/site-files.ts'

/** Files that a deployment takes away. */
interface Removal {
  readonly files: SiteFiles
  readonly site: SiteRef
  readonly paths: readonly string[]
  /** Writes down what is going to be removed, so that it can be put back by whoever takes over. */
  intend(paths: readonly string[]): Promise<void>
}

/** Moves files into the trash of the site; those that are not there any more are none to remove. Returns how many were. */
export async function removeFiles({ files, site, paths, intend }: Removal): Promise<number> {
  if (paths.length === 0) return 0
  const there = await existing(files, site, paths)
  await intend(there)
  for (let at = 0; at < there.length; at += siteFileLimits.chosen)
    await files.remove(site, there.slice(at, at + siteFileLimits.chosen))
  return there.length
}

/** Puts removed files back. The newest that was deleted is what was removed; what is in its place already was not. */
export async function putBack(files: SiteFiles, site: SiteRef, removed: readonly string[]): Promise<void> {
  if (removed.length === 0) return
  const missing = new Set(removed)
  for (const path of await existing(files, site, removed)) missing.delete(path)
  for (const { id, paths } of missing.size === 0 ? [] : await files.trash(site)) {
    if (!paths.every((path) => missing.has(path))) continue
    await files.restore(site, id)
    for (const path of paths) missing.delete(path)
  }
  if (missing.size > 0) throw new Error(`${missing.size} removed files are no longer in the trash of the site.`)
}

/** Those of the paths at which something is. */
async function existing(files: SiteFiles, site: SiteRef, paths: readonly string[]): Promise<string[]> {
  const found = new Set<string>()
  for (const folder of new Set(paths.map(folderOf))) {
    for (const name of await namesIn(files, site, folder)) found.add(pathIn(folder, name))
  }
  return paths.filter((path) => found.has(path))
}

async function namesIn(files: SiteFiles, site: SiteRef, folder: string): Promise<string[]> {
  const names: string[] = []
  try {
    for (let start: number | null = 0; start !== null;) {
      const { entries, next }: Awaited<ReturnType<SiteFiles['list']>> = await files.list(site, folder, start)
      names.push(...entries.map(({ name }) => name))
      start = next
    }
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== 'not_found') throw error
  }
  return names
}
