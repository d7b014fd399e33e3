import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isObject } from '#shared/parse-json.ts'
import { isSupported } from '#shared/rules/supported-wordpress.ts'
import { EngineError } from '../../engine.ts'
import type { CoreSums, WordPressCatalogue } from '../../wordpress-catalogue.ts'
import { readOriginal } from '../trees/compare-file.ts'
import { cachedCores, obtainCore } from './core-cache.ts'
import { listReleases } from './core-releases.ts'
import { pinCore, type PinnedCore } from './core-use.ts'
import { bundling, publishedOriginals, type CatalogueOptions } from './published-originals.ts'
import { listTranslations } from './translations.ts'
import { fetchChecksums, wordpressOrg, type CorePackage } from './wordpress-org.ts'

/** The catalogue of this installation. Nothing is asked before it is used. */
export function createWordPressCatalogue(options: CatalogueOptions): WordPressCatalogue {
  return {
    translations: (version, signal) => listTranslations(wordpressOrg(options.wordpressOrgUrl), version, signal),
    releases: (signal) => listReleases(wordpressOrg(options.wordpressOrgUrl), signal),
    coreSums: (version, locale, signal) => coreSums(options, { version, locale }, signal),
    originals: (signal) => publishedOriginals(options, true, signal),
    async original(of, names, signal) {
      const pinned =
        'core' in of
          ? await storedCore(options, of.core, signal)
          : await bundling(options.cacheDir, of.package).then((core) => core && pinCore(core))
      if (pinned === null) return null
      try {
        return { file: await readOriginal({ file: join(pinned.core.files, ...names) }) }
      } finally {
        await pinned.release()
      }
    },
  }
}

/** Downloaded if it is not stored and wordpress.org can be reached. */
async function storedCore(
  { cacheDir, wordpressOrgUrl }: CatalogueOptions,
  version: string,
  signal: AbortSignal,
): Promise<PinnedCore | null> {
  if (!isSupported(version)) return null
  try {
    const quiet = { log: () => undefined, progress: () => undefined, signal }
    return await pinCore(await obtainCore(cacheDir, wordpressOrgUrl, version, quiet))
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof EngineError && error.code === 'unavailable') return null
    throw error
  }
}

/** The checksums of WordPress itself: of a stored one, or those that wordpress.org publishes. */
export async function coreSums(
  { cacheDir, wordpressOrgUrl }: CatalogueOptions,
  { version, locale }: CorePackage,
  signal: AbortSignal,
): Promise<CoreSums> {
  const core = locale === null && (await cachedCores(cacheDir)).find((cached) => cached.version === version)
  const known = core
    ? sumsOf(await readFile(core.checksums, 'utf8'))
    : [...(await fetchChecksums(wordpressOrg(wordpressOrgUrl), { version, locale }, signal))]
  return {
    source: core && core.source === 'npm' ? 'package' : 'wordpress.org',
    sums: known.filter(([path]) => !path.startsWith('wp-content/')),
  }
}

function sumsOf(text: string): (readonly [string, string])[] {
  const content: unknown = JSON.parse(text)
  if (!isObject(content)) throw new Error('The checksums of the cached WordPress are no object.')
  return Object.entries(content).flatMap(([path, sum]) => (typeof sum === 'string' ? [[path, sum] as const] : []))
}
