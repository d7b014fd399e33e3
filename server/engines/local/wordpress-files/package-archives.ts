import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { copyFile, mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { diskSpace } from '#server/platform/files/disk-space.ts'
import { exists } from '#server/platform/files/exists.ts'
import type { SiteStore } from '../sites/site-store.ts'
import type { SiteTenants } from '../sites/site-tenants.ts'
import { archivesToRemove } from './archives-to-remove.ts'
import { usedArchives } from './kept-sums.ts'

/** Archives of the plugins and themes that sites installed, in a folder of ours: what changed files are compared with and put back from. */
export interface PackageArchives {
  /**
   * Keeps a copy for a site, once for all sites. Returns its name, or null if it is not kept: it is too large, also beside what other
   * tenants have, or the disk is nearly full.
   */
  keep(file: string, site: string): Promise<string | null>
  /** Where it is; null if it is not kept any more. */
  pathOf(name: string): Promise<string | null>
  /** Removes what no site uses any more; looks once an hour. */
  removeUnused(): Promise<void>
}

/** Options of the archives. */
export interface PackageArchivesOptions {
  readonly folder: string
  /** Most bytes of all together; see `archivesToRemove`. 0: none is kept. */
  readonly maxBytes: number
  /** Disk space that must remain (bytes). */
  readonly minFreeBytes: number
  readonly store: Pick<SiteStore, 'all' | 'paths'>
  readonly tenants: Pick<SiteTenants, 'of'>
  /** Milliseconds since 1970. */
  now(): number
}

const hourMs = 3_600_000

/** Creates them; nothing is read or written before the first one. */
export function createPackageArchives(options: PackageArchivesOptions): PackageArchives {
  const { folder, maxBytes, minFreeBytes, now } = options
  /** By archive: the site for which it was kept, which may be about to use it. */
  const keptFor = new Map<string, string>()
  let nextLook = 0
  const pathIn = (name: string) => join(folder, `${name}.zip`)
  return {
    async keep(file, site) {
      const { size } = await stat(file)
      if (size > maxBytes) return null
      const name = await hashOf(file)
      const time = now() / 1000
      keptFor.set(name, site)
      if (await exists(pathIn(name))) {
        await utimes(pathIn(name), time, time)
        return name
      }
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const { free } = await diskSpace(folder)
      if (free - size < minFreeBytes) return null
      const unfinished = join(folder, `${randomUUID()}.tmp`)
      try {
        await copyFile(file, unfinished)
        await utimes(unfinished, time, time)
        await rename(unfinished, pathIn(name))
      } finally {
        await rm(unfinished, { force: true })
      }
      await removeTooMany(options, keptFor)
      return (await exists(pathIn(name))) ? name : null
    },
    pathOf: async (name) => ((await exists(pathIn(name))) ? pathIn(name) : null),
    async removeUnused() {
      if (now() < nextLook) return
      nextLook = now() + hourMs
      const used = await sitesByArchive(options)
      keptFor.clear()
      for (const { path, name, at } of await filesOf(folder))
        // A site may be about to use a new one.
        if (!used.has(name) && now() - at > hourMs) await rm(path, { force: true })
    },
  }
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

async function filesOf(folder: string): Promise<{ path: string; name: string; size: number; at: number }[]> {
  if (!(await exists(folder))) return []
  const found = await Promise.all(
    (await readdir(folder)).map(async (file) => {
      const path = join(folder, file)
      // Another one may be finished, or removed, at this moment.
      const stats = await stat(path).catch(() => null)
      return stats === null ? [] : [{ path, name: file.replace(/\.zip$/, ''), size: stats.size, at: stats.mtimeMs }]
    }),
  )
  return found.flat()
}

/** Sites that use an archive, by its name. */
async function sitesByArchive({ store, now }: PackageArchivesOptions): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>()
  for (const { id } of store.all()) {
    for (const name of await usedArchives(store.paths(id).folder, now()))
      found.set(name, [...(found.get(name) ?? []), id])
  }
  return found
}

async function removeTooMany(options: PackageArchivesOptions, keptFor: ReadonlyMap<string, string>): Promise<void> {
  const { folder, maxBytes, tenants } = options
  const files = await filesOf(folder)
  if (files.reduce((total, { size }) => total + size, 0) <= maxBytes) return
  const used = await sitesByArchive(options)
  const archives = files.map((file) => {
    const owner = keptFor.get(file.name)
    const sites = [...(used.get(file.name) ?? []), ...(owner === undefined ? [] : [owner])]
    return { ...file, tenants: [...new Set(sites.map((id) => tenants.of(id)))] }
  })
  for (const { path } of archivesToRemove(archives, maxBytes)) await rm(path, { force: true })
}
