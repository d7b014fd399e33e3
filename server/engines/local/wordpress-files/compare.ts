import { join } from 'node:path'
import type { FileComparison } from '#shared/responses/file-comparison.ts'
import { splitPath } from '#shared/rules/site-files.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'
import { isSupported } from '../core/core-releases.ts'
import type { PinnedCore } from '../core/core-use.ts'
import { pinCore } from '../core/core-use.ts'
import type { LocalContext } from '../local-context.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import type { OriginalInput } from '../trees/compare-file.ts'
import { readAbout } from '../wordpress-core/core-script.ts'
import { archiveOf, bundling, keptPackage } from './originals.ts'
import { packagesOf } from './verify-packages.ts'

/** Files at the top that are WordPress' own. */
const ownAtTop = /^(?:wp-[\w-]+\.php|index\.php|xmlrpc\.php|license\.txt|readme\.html)$/

/** See `WordPressFiles.compare`. */
export async function compareWithOriginal(
  context: LocalContext,
  record: SiteRecord,
  path: string,
  signal: AbortSignal,
): Promise<FileComparison> {
  const names = splitPath(path)
  if (typeof names === 'string' || !isComparable(path)) throw notComparable()
  const original = await originalOf(context, record, names, signal)
  try {
    const { store, owners, trees } = context
    const { www } = store.paths(record.id)
    const uid = await owners.ownerOf(record)
    const found = await trees.run(
      'original',
      { root: www, trash: www, uid, path, original: original?.at ?? null },
      { signal },
    )
    if (found === null) throw missing()
    if (original !== null) return { path, ...found }
    return { path, ...found, result: 'no_original', diff: null, truncated: false, original_bytes: null }
  } finally {
    await original?.release()
  }
}

function isComparable(path: string): boolean {
  if (path === 'wp-config.php') return false
  return /^wp-(?:admin|includes)\/|^wp-content\/(?:plugins|themes)\//.test(path) || ownAtTop.test(path)
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
  names: readonly string[],
  signal: AbortSignal,
): Promise<HeldOriginal | null> {
  const [, type, id] = /^wp-content\/(plugin|theme)s\/([^/]+)/.exec(names.join('/')) ?? []
  if (type === undefined) return inCore(await coreOriginal(context, record, signal), names)
  const about = (await packagesOf(context, record, signal)).find(
    (one) => one.type === type && (one.folder ?? one.main) === id,
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

const notComparable = () =>
  new EngineError('invalid', msg`Only files of WordPress, its plugins and themes have an original.`, {
    nextAction: msg`Choose one of the list.`,
  })

const missing = () =>
  new EngineError('not_found', msg`Neither the site nor the original has this file.`, {
    nextAction: msg`Verify checksums again.`,
  })
