import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { maxTables } from '#server/platform/mysql/count-rows.ts'
import { msg } from '#shared/localized-message.ts'
import type { MultisiteKind } from '#shared/rules/multisite.ts'
import { EngineError, type StepContext } from '../engine.ts'
import { answeredPages, noCounts, pagesToSee, seePages, titleIn } from '../seen-pages.ts'
import { constantsIn } from '../site-constants.ts'
import { exportFormat, type SiteManifest } from '../site-manifest.ts'
import type { SiteRef } from '../site-ref.ts'
import type { EeContext } from './ee-context.ts'
import { findPart, type PackedName, type PackedPart } from './fetch-packed.ts'
import { databaseOf, type EeRow } from './inventory.ts'
import type { ManifestHead } from './pack-archive.ts'
import { isPassing, look, mutate, outputOf, stop } from './remote.ts'
import type { EeScript } from './remote-script.ts'
import { addressOf } from './request.ts'
import { managedAs, type ManagedSite } from './scripts.ts'
import { answerOf, factsOf, linksOf } from './seen-site.ts'
import { tablePrefixOf } from './wp.ts'

/** What makes sense on its server only, and what WordPress makes again. */
export const withoutOfWordPress = [
  'wp-config.php',
  '.maintenance',
  'wp-content/.easydash-previous',
  'wp-content/easydash-login',
  'wp-content/mu-plugins/easydash-login.php',
  // That of EasyEngine's Redis.
  'wp-content/object-cache.php',
  'wp-content/cache',
  'wp-content/upgrade',
  'wp-content/upgrade-temp-backup',
  'wp-content/debug.log',
]

/** Dumps of a database that changes meanwhile. */
const maxDumps = 3

/**
 * What a server puts together of a site: a dump and files that are fetched, a list of files; and for an archive that it makes itself a dump,
 * a copy of the files, the sum of their tar, and the archive of it.
 */
type Packable = 'database' | 'files' | 'list' | 'plain' | 'tree' | 'sum' | 'archive'

/** What each is, and the name of the work that makes it: what follows another has the same. */
const packables = {
  database: { name: 'database.sql.gz', script: 'pack-database', work: 'database' },
  plain: { name: 'database.sql', script: 'pack-database', work: 'database' },
  files: { name: 'files.tar.gz', script: 'pack-files', work: 'files' },
  list: { name: 'list.gz', script: 'pack-files', work: 'list' },
  tree: { name: 'tree.gz', script: 'pack-files', work: 'files' },
  sum: { name: 'archive.tar', script: 'pack-sum', work: 'files' },
  archive: { name: 'archive.age', script: 'pack-archive', work: 'files' },
} as const satisfies Readonly<Record<Packable, { name: PackedName; script: EeScript; work: Packable }>>

/** Names what packs a part of a site on its server. */
const packingOf = (id: string, part: Packable): string => `ee-${id}-pack-${packables[part].work}`

/** What is packed, and under which id. */
export interface Packing {
  readonly context: EeContext
  readonly site: SiteRef
  readonly packed: SiteRef
}

/** A site while it is packed. */
export type ManagedPacking = ManagedSite &
  Pick<Packing, 'packed'> & { readonly database: ReturnType<typeof databaseOf> }

/** The site of a row while it is packed. */
export function packingSite({ context, site, packed }: Packing, row: EeRow): ManagedPacking {
  return { ...managedAs(context, site, row), packed, database: databaseOf(row) }
}

/** What the manifest says of a site besides what is packed: also what visitors see now. */
export async function manifestHead(
  managed: ManagedPacking,
  row: EeRow,
  dumped: Dumped | null,
  signal: AbortSignal,
): Promise<ManifestHead> {
  const { context, site, isSecure } = managed
  const isWordPress = row.site_type === 'wp'
  const links = isWordPress ? await linksOf(managed, signal) : null
  const pages = await seePages(
    pagesToSee(links).map(([path = '/']) => path),
    (path) => answerOf(context, { ...site, isSecure }, path, signal),
  )
  return {
    format: exportFormat.name,
    version: exportFormat.version,
    created: new Date().toISOString(),
    site: site.domain,
    engine: 'ee',
    type: row.site_type,
    url: addressOf({ ...site, isSecure }),
    title: titleIn(links),
    php_version: row.site_type === 'html' ? null : (row.php_version ?? null),
    wordpress_version: dumped?.version ?? null,
    table_prefix: dumped?.prefix ?? null,
    network: dumped?.network ?? null,
    counts: dumped?.counts ?? noCounts,
    pages: answeredPages(pages),
    left_out: isWordPress ? withoutOfWordPress : [],
    ...(isWordPress ? { constants: constantsIn(links) } : {}),
  }
}

/** A dump, and what WordPress said about itself at its moment. */
export interface Dumped {
  readonly part: PackedPart & { readonly token: string }
  readonly counts: SiteManifest['counts']
  readonly version: string | null
  readonly prefix: string | null
  readonly network: MultisiteKind | null
}

/** Dumps the database, if there is one; again if WordPress counts something else right after. */
export async function packDatabase(
  managed: ManagedPacking,
  step: StepContext,
  as: 'database' | 'plain' = 'database',
): Promise<Dumped | null> {
  const { context, site, workdir, database } = managed
  if (database === null) return null
  const more = [database, String(maxTables)]
  if (database === 'mariadb') {
    const part = await packPart(managed, as, more, step)
    step.log('Dumped the database')
    return { part, counts: noCounts, version: null, prefix: null, network: null }
  }
  const prefix = await tablePrefixOf(context, site, workdir, step.signal)
  let before = await factsOf(managed, step.signal)
  for (let dumps = 1; ; dumps += 1) {
    const part = await packPart(managed, as, more, step)
    const after = await factsOf(managed, step.signal)
    if (isDeepStrictEqual(before.counts, after.counts) || dumps === maxDumps) {
      step.log('Dumped the database')
      return { ...before, part, prefix }
    }
    before = after
  }
}

/** Has the server put a part together, beside nothing else that changes it. `more`: what is left out, or what else the script is told. */
export async function packPart(
  { context, site, packed, workdir }: Packing & Pick<ManagedSite, 'workdir'>,
  part: Packable,
  more: readonly string[],
  step: Pick<StepContext, 'signal' | 'log'>,
): Promise<PackedPart & { readonly token: string }> {
  const { signal } = step
  // Only what this run packs counts.
  const token = randomBytes(8).toString('hex')
  const { name, script } = packables[part]
  const find = () => findPart(context, packed, { name, token, signal })
  const of = {
    'pack-database': [site.domain, workdir, packed.id, token, name],
    'pack-files': [site.domain, packed.id, token, name],
    'pack-sum': [packed.id, token],
    'pack-archive': [packed.id, token],
  }[script]
  await mutate(context, site.server, {
    id: packingOf(packed.id, part),
    script,
    args: [...of, ...more],
    signal,
    isDone: async () => (await find()) !== null,
    onLine: step.log,
  })
  const found = await find()
  if (found) return { ...found, token }
  throw new EngineError('unavailable', msg`What the server packed is gone.`, {
    retryable: true,
    nextAction: msg`Retry.`,
  })
}

/** Removes what a server packed, and what packs it. */
export async function removeRemote(
  context: EeContext,
  site: SiteRef,
  parts: readonly Packable[] = ['database', 'files'],
): Promise<void> {
  const { server, id } = site
  try {
    for (const part of parts) await stop(context, server, packingOf(id, part))
    outputOf(await look(context, server, { script: 'packed-remove', args: [id] }))
  } catch (error) {
    if (!isPassing(error) && !(error instanceof EngineError)) throw error
    context.log.warn('What was packed on a server could not be removed', { site: id, error })
  }
}
