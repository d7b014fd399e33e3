import { join } from 'node:path'
import type { FileComparison } from '#shared/responses/file-comparison.ts'
import { isSupported } from '#shared/rules/supported-wordpress.ts'
import { EngineError } from '../../engine.ts'
import { comparablePath, comparisonOf, type ComparablePath } from '../../file-comparison.ts'
import { packagesOf } from '../../wordpress-checksums.ts'
import type { PinnedCore } from '../core/core-use.ts'
import { pinCore } from '../core/core-use.ts'
import { bundling } from '../core/published-originals.ts'
import type { LocalContext } from '../local-context.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import type { OriginalInput } from '../trees/compare-file.ts'
import { readAbout } from '../wordpress-core/core-script.ts'
import { scriptsOf } from '../wordpress/run-script.ts'
import { archiveOf, keptPackage } from './originals.ts'

/** See `WordPressFiles.compare`. */
export async function compareWithOriginal(
  context: LocalContext,
  record: SiteRecord,
  path: string,
  signal: AbortSignal,
): Promise<FileComparison> {
  const comparable = comparablePath(path)
  const original = await originalOf(context, record, comparable, signal)
  try {
    const { store, owners, trees } = context
    const { www } = store.paths(record.id)
    const uid = await owners.ownerOf(record)
    const found = await trees.run(
      'original',
      { root: www, trash: www, uid, path, original: original?.at ?? null },
      { signal },
    )
    return comparisonOf(path, found, original !== null)
  } finally {
    await original?.release()
  }
}

/** Where an original is, until it is released. */
interface HeldOriginal {
  readonly at: NonNullable<OriginalInput['original']>
  release(): Promise<void>
}

/** In the package that is kept, or in a stored WordPress; null if neither has it. */
async function originalOf(
  context: LocalContext,
  record: SiteRecord,
  { names, within }: ComparablePath,
  signal: AbortSignal,
): Promise<HeldOriginal | null> {
  if (within === null) return inCore(await coreOriginal(context, record, signal), names)
  const about = (await packagesOf(scriptsOf(context, record), signal)).find(
    (one) => one.type === within.type && (one.folder ?? one.main) === within.id,
  )
  if (about === undefined) return null
  const kept = await keptPackage(context, record, about)
  const archive = kept === null ? null : await archiveOf(context, kept)
  // As its checksums are: what is kept goes first.
  if (kept !== null) {
    if (archive === null) return null
    return { at: { archive, member: [kept.folder, ...names.slice(3)].join('/') }, release: async () => undefined }
  }
  const core = await bundling(context.options.cacheDir, about)
  return core === null ? null : inCore(await pinCore(core), names)
}

function inCore(pinned: PinnedCore | null, names: readonly string[]): HeldOriginal | null {
  if (pinned === null) return null
  return { at: { file: join(pinned.core.files, ...names) }, release: async () => pinned.release() }
}

/** Downloaded again if it is not stored any more and wordpress.org can be reached. */
async function coreOriginal(
  context: LocalContext,
  record: SiteRecord,
  signal: AbortSignal,
): Promise<PinnedCore | null> {
  const about = await readAbout(context, record, signal)
  // The file that says it may be the one that was changed.
  const version = isSupported(about.version) ? about.version : (record.wordpressVersion ?? '')
  if (!isSupported(version)) return null
  const { versions } = await context.cores.versions()
  if (!versions.includes(version) && context.network.isOffline) return null
  const quiet = { log: () => undefined, progress: () => undefined, signal }
  return context.cores.holdVersion(version, quiet).catch((error: unknown) => {
    signal.throwIfAborted()
    if (error instanceof EngineError && error.code === 'unavailable') return null
    throw error
  })
}
