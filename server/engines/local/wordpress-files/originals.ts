import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { PackageChecksum } from '#shared/responses/package-checksums.ts'
import { isObject } from '#shared/parse-json.ts'
import { systemErrorCode } from '#server/platform/processes/startup-error.ts'
import type { PackageType } from '../../wordpress-packages.ts'
import type { CachedCore } from '../core/cached-core.ts'
import { cachedCores } from '../core/core-cache.ts'
import { fetchPluginSums, type Sums } from '../core/plugin-checksums.ts'
import { wordpressOrg } from '../core/wordpress-org.ts'
import type { LocalContext } from '../local-context.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import { readKeptPackage, type KeptPackage } from './kept-sums.ts'

/** A plugin or theme of a site. */
export interface InstalledPackage {
  readonly type: PackageType
  /** Its folder; null: a plugin that is a single file. */
  readonly folder: string | null
  /** File whose header says the version, below the folder of plugins or themes. */
  readonly main: string
  readonly version: string
}

/** Checksums of a package and where they come from, or why there are none. */
export type Original =
  | {
      readonly source: NonNullable<PackageChecksum['source']>
      readonly sums: Sums
      /** The package itself is kept. */
      readonly isKept: boolean
    }
  | { readonly unchecked: NonNullable<PackageChecksum['unchecked']> }

/** Folder of all packages of a type, below the folder of WordPress. */
export const homeOf = (type: PackageType): string => `wp-content/${type}s`

/** Finds the checksums of packages of a site. wordpress.org is not asked again once it did not answer. */
export function createOriginals(
  context: LocalContext,
  record: SiteRecord,
  signal: AbortSignal,
): (about: InstalledPackage) => Promise<Original> {
  const { cacheDir, wordpressOrgUrl } = context.options
  let isReachable = !context.network.isOffline
  return async (about) => {
    const { type, folder, version } = about
    const kept = await keptPackage(context, record, about)
    if (kept !== null) return { ...kept, isKept: (await archiveOf(context, kept)) !== null }
    const core = await bundling(cacheDir, about)
    if (core !== null) return { source: 'bundled', sums: await bundledSums(core, about), isKept: false }
    if (type === 'theme' || folder === null) return { unchecked: 'unknown' }
    if (!isReachable) return { unchecked: 'offline' }
    const found = await fetchPluginSums(wordpressOrg(wordpressOrgUrl), cacheDir, { slug: folder, version }, signal)
    if (found === 'unreachable') isReachable = false
    if (typeof found === 'string') return { unchecked: found === 'none' ? 'unknown' : 'offline' }
    return { source: 'wordpress.org', sums: found, isKept: false }
  }
}

/** What is kept of an installed plugin or theme; null if nothing is. */
export async function keptPackage(
  { store }: Pick<LocalContext, 'store'>,
  { id }: Pick<SiteRecord, 'id'>,
  { type, folder, version }: InstalledPackage,
): Promise<KeptPackage | null> {
  return folder === null ? null : readKeptPackage(store.paths(id).folder, { type, folder, version })
}

/** The archive of what is kept; null if there is none any more. */
export async function archiveOf(
  { archives }: Pick<LocalContext, 'archives'>,
  { archive }: Pick<KeptPackage, 'archive'>,
): Promise<string | null> {
  return archive === null ? null : archives.pathOf(archive)
}

/** The stored WordPress that brings this version of a plugin or theme; null if none does. */
export async function bundling(cacheDir: string, about: InstalledPackage): Promise<CachedCore | null> {
  for (const core of await cachedCores(cacheDir))
    if ((await versionOf(join(core.files, homeOf(about.type), about.main))) === about.version) return core
  return null
}

/** The version in the header of a file of ours; null without one. WordPress reads the same 8 kB. */
async function versionOf(path: string): Promise<string | null> {
  try {
    const file = await open(path)
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(8192), 0, 8192, 0)
      return /^[ \t/*#@]*Version:(.*)$/im.exec(buffer.toString('utf8', 0, bytesRead))?.[1]?.trim() ?? null
    } finally {
      await file.close()
    }
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemErrorCode(error))) return null
    throw error
  }
}

async function bundledSums(core: CachedCore, { type, folder, main }: InstalledPackage): Promise<Sums> {
  const all: unknown = JSON.parse(await readFile(core.checksums, 'utf8'))
  const prefix = `${homeOf(type)}/${folder === null ? '' : `${folder}/`}`
  return Object.entries(isObject(all) ? all : {}).flatMap(([path, sum]) => {
    const rest = path.slice(prefix.length)
    const isOwn = path.startsWith(prefix) && (folder !== null || rest === main)
    return isOwn && typeof sum === 'string' ? [[rest, sum] as const] : []
  })
}
