import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isObject } from '#shared/parse-json.ts'
import { systemErrorCode } from '#server/platform/processes/startup-error.ts'
import type { PackageAbout, Original, Sums } from '../../wordpress-catalogue.ts'
import { homeOf } from '../../wordpress-checksums.ts'
import type { CachedCore } from './cached-core.ts'
import { cachedCores } from './core-cache.ts'
import { fetchPluginSums } from './plugin-checksums.ts'
import { wordpressOrg } from './wordpress-org.ts'

/** Where originals are, and who publishes them. */
export interface CatalogueOptions {
  readonly cacheDir: string
  /** As in `wordpressOrg`. */
  readonly wordpressOrgUrl: string | null
}

/**
 * Finds the checksums of packages that come with a stored WordPress, or that wordpress.org publishes; it is not asked again once it did not
 * answer.
 */
export function publishedOriginals(
  { cacheDir, wordpressOrgUrl }: CatalogueOptions,
  isReachable: boolean,
  signal: AbortSignal,
): (about: PackageAbout) => Promise<Original> {
  let asks = isReachable
  return async (about) => {
    const { type, folder, version } = about
    const core = await bundling(cacheDir, about)
    if (core !== null) return { source: 'bundled', sums: await bundledSums(core, about), isKept: false }
    if (type === 'theme' || folder === null) return { unchecked: 'unknown' }
    if (!asks) return { unchecked: 'offline' }
    const found = await fetchPluginSums(wordpressOrg(wordpressOrgUrl), cacheDir, { slug: folder, version }, signal)
    if (found === 'unreachable') asks = false
    if (typeof found === 'string') return { unchecked: found === 'none' ? 'unknown' : 'offline' }
    return { source: 'wordpress.org', sums: found, isKept: false }
  }
}

/** The stored WordPress that brings this version of a plugin or theme; null if none does. */
export async function bundling(cacheDir: string, about: PackageAbout): Promise<CachedCore | null> {
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

async function bundledSums(core: CachedCore, { type, folder, main }: PackageAbout): Promise<Sums> {
  const all: unknown = JSON.parse(await readFile(core.checksums, 'utf8'))
  const prefix = `${homeOf(type)}/${folder === null ? '' : `${folder}/`}`
  return Object.entries(isObject(all) ? all : {}).flatMap(([path, sum]) => {
    const rest = path.slice(prefix.length)
    const isOwn = path.startsWith(prefix) && (folder !== null || rest === main)
    return isOwn && typeof sum === 'string' ? [[rest, sum] as const] : []
  })
}
