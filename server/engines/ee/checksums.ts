import * as z from 'zod/mini'
import {
  comparablePath,
  compareContents,
  comparisonOf,
  maxComparedBytes,
  type FileContent,
} from '../file-comparison.ts'
import type { Original, PackageAbout } from '../wordpress-catalogue.ts'
import { filesVersion, packagesOf, verifyCore, verifyPackages } from '../wordpress-checksums.ts'
import type { WordPressFiles } from '../wordpress-files.ts'
import type { WordPressManagement } from '../wordpress.ts'
import { unreadable } from '../wordpress-scripts.ts'
import type { EeContext } from './ee-context.ts'
import { managedSite, runPhp, scriptsOf, type ManagedSite } from './scripts.ts'

/** Compares files on the server with what this installation knows of the originals: the server is not asked what they should be. */
export function createEeOriginals(context: EeContext): WordPressFiles & Pick<WordPressManagement, 'verifyChecksums'> {
  const { catalogue } = context
  return {
    async verifyChecksums(site, signal = AbortSignal.timeout(120_000)) {
      const run = scriptsOf(await managedSite(context, site, signal))
      return verifyCore(run, (version, locale) => catalogue.coreSums(version, locale, signal), signal)
    },
    async verifyPackages(site, signal = AbortSignal.timeout(240_000)) {
      return verifyPackages(scriptsOf(await managedSite(context, site, signal)), originalsOf(context, signal), signal)
    },
    async compare(site, path, signal = AbortSignal.timeout(60_000)) {
      const { names, within } = comparablePath(path)
      const managed = await managedSite(context, site, signal)
      const run = scriptsOf(managed)
      const about =
        within &&
        (await packagesOf(run, signal)).find(
          (one) => one.type === within.type && (one.folder ?? one.main) === within.id,
        )
      const of = within === null ? { core: await filesVersion(run, signal) } : about && { package: about }
      const original = of ? await catalogue.original(of, names, signal) : null
      const found = compareContents(await contentOf(managed, path, maxComparedBytes, signal), original?.file ?? null)
      return comparisonOf(path, found, original !== null)
    },
  }
}

/** Finds the checksums of packages. What wordpress.org has can be put back: the server downloads it again. */
export function originalsOf({ catalogue }: EeContext, signal: AbortSignal): (about: PackageAbout) => Promise<Original> {
  const find = catalogue.originals(signal)
  return async (about) => {
    const original = await find(about)
    return 'sums' in original ? { ...original, isKept: original.source === 'wordpress.org' } : original
  }
}

const content = z.union([
  z.object({ missing: z.literal(true) }),
  z.object({ bytes: z.int().check(z.nonnegative()), content: z.nullable(z.string()) }),
])

/** A file of the site, without its content if that is more than `most` bytes; null if there is none. */
export async function contentOf(
  managed: ManagedSite,
  path: string,
  most: number,
  signal: AbortSignal,
): Promise<FileContent | null> {
  const { data } = content.safeParse(await runPhp(managed, 'content', { path, most }, signal))
  if (!data) throw unreadable()
  if ('missing' in data) return null
  return { bytes: data.bytes, content: data.content === null ? null : Buffer.from(data.content, 'base64') }
}
