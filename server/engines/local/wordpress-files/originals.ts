import type { PackageAbout, Original } from '../../wordpress-catalogue.ts'
import { publishedOriginals } from '../core/published-originals.ts'
import type { LocalContext } from '../local-context.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import { readKeptPackage, type KeptPackage } from './kept-sums.ts'

/** Finds the checksums of packages of a site: of what is kept of them, else of what is published. */
export function createOriginals(
  context: LocalContext,
  record: SiteRecord,
  signal: AbortSignal,
): (about: PackageAbout) => Promise<Original> {
  const published = publishedOriginals(context.options, !context.network.isOffline, signal)
  return async (about) => {
    const kept = await keptPackage(context, record, about)
    if (kept === null) return published(about)
    return { ...kept, isKept: (await archiveOf(context, kept)) !== null }
  }
}

/** What is kept of an installed plugin or theme; null if nothing is. */
export async function keptPackage(
  { store }: Pick<LocalContext, 'store'>,
  { id }: Pick<SiteRecord, 'id'>,
  { type, folder, version }: PackageAbout,
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
