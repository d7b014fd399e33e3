import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { isObject } from '#shared/parse-json.ts'
import { isDiskFull } from '#server/platform/files/disk-space.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError, type EngineStep, type StepContext } from '../../engine.ts'
import { configForHosts, readmeOf } from '../../host-files.ts'
import { rowsOf, textsOf } from '../../script-results.ts'
import { answeredPages, noCounts, pagesToSee, titleIn } from '../../seen-pages.ts'
import { exportFormat, exportNames, type SiteManifest } from '../../site-manifest.ts'
import type { SiteRef } from '../../site-ref.ts'
import { siteFoldersOf } from '../files/local-files.ts'
import { localSiteUrl } from '../local-base.ts'
import type { LocalContext } from '../local-context.ts'
import { assertSiteRef, type SiteRecord } from '../sites/site-record.ts'
import type { SeenSite } from '../trees/export-task.ts'
import { existingRecord } from '../sites/site-store.ts'
import { runScript } from '../wordpress/run-script.ts'
import { dumpPath } from './dump-path.ts'
import { privateFolder, writeMysqlDump } from './mysql-dump.ts'
import { countContent, findLinks, ifItWorks, seeLocalPages } from './seen-site.ts'

/** What makes sense here only, and what WordPress makes again. */
const withoutOfWordPress = [
  'wp-config.php',
  'wp-content/db.php',
  'wp-content/database',
  'wp-content/mu-plugins/sqlite-database-integration',
  'wp-content/cache',
  'wp-content/upgrade',
  'wp-content/upgrade-temp-backup',
  'wp-content/debug.log',
]

/** Copies of the database of a site that changes meanwhile. */
const maxCopies = 3

/** Rows of the dumped tables, and what the site says about itself. */
interface Dumped {
  readonly prefix: string
  readonly tables: SiteManifest['tables']
  /** Tables that were left out. */
  readonly skipped: readonly string[]
  /** Whether `count` said the same before and after the state that was dumped. */
  readonly isSettled: boolean
}

/** A file that a whole site is packed into: for people, or for us. */
export type PackedAs = keyof typeof packedAs

const packedAs = {
  export: { container: 'zip', folder: 'exports', file: 'site.zip' },
  backup: { container: 'tar.zst', folder: 'backup', file: 'site.tar.zst' },
} as const

/** Folder of a site's export or backup; only we can enter it. */
const folderOf = ({ store }: LocalContext, site: Pick<SiteRef, 'id'>, as: PackedAs): string =>
  join(store.paths(site.id).folder, packedAs[as].folder)

/** The finished archive of a site, and its manifest. */
export function packedPaths(
  context: LocalContext,
  site: Pick<SiteRef, 'id'>,
  as: PackedAs,
): { archive: string; manifest: string } {
  const folder = folderOf(context, site, as)
  return { archive: join(folder, packedAs[as].file), manifest: join(folder, exportNames.manifest) }
}

/**
 * See `SiteExports.exportSteps` and `SiteBackups.packSteps`. The dump and the archive belong together, so both are one step: a retry
 * begins anew.
 */
export function exportSteps(context: LocalContext, site: SiteRef, as: PackedAs = 'export'): EngineStep[] {
  assertSiteRef(site)
  return [
    {
      key: as === 'export' ? 'export' : 'pack',
      label: site.siteType === 'wp' ? 'Pack database and files' : 'Pack the files',
      weight: 1,
      deadlineSeconds: 3_600,
      run: async (step) => {
        step.signal.throwIfAborted()
        const record = readyRecord(context, site)
        const release = context.awake.hold(record.id)
        try {
          await removeExport(context, site, as)
          const [dumping, room] = await Promise.allSettled([
            dumpOf(context, record, as, step),
            assertRoom(context, record, step),
          ])
          if (room.status === 'rejected') throw room.reason
          if (dumping.status === 'rejected') throw dumping.reason
          const ending = new AbortController()
          const signal = AbortSignal.any([step.signal, ending.signal])
          const seen = lookAt(context, record, dumping.value, { signal, log: (text) => step.log(text) })
          // Its failure is that of the packing, which asks for it later.
          seen.catch(() => undefined)
          try {
            await pack(context, record, { as, dumped: dumping.value.dumped, seen }, step)
          } finally {
            ending.abort()
            await seen.catch(() => undefined)
          }
        } catch (error) {
          await removeExport(context, site, as)
          throw error
        } finally {
          if (record.siteType === 'wp') await forgetDump(context, record)
          release()
        }
        step.progress(1)
      },
    },
  ]
}

/** Puts a dump of the database into the site, and says what WordPress counted then; none without a database. */
async function dumpOf(
  context: LocalContext,
  record: SiteRecord,
  as: PackedAs,
  step: StepContext,
): Promise<{ dumped: Dumped | null; counts: SeenSite['counts'] }> {
  let counts = noCounts
  if (record.siteType !== 'wp') return { dumped: null, counts }
  const count = async () => {
    counts = await ifItWorks(step, (signal) => countContent(context, record, signal), noCounts)
    return counts
  }
  if (record.database !== 'mysql') {
    const dumped = await writeDump(context, record, step, count)
    // Nobody knows what was there at the moment of the dump.
    return { dumped, counts: dumped.isSettled ? counts : noCounts }
  }
  const { signal } = step
  const { prefix } = await runScript(context, record, { script: 'dump', input: { do: 'prepare' }, signal })
  await count()
  const tables = await writeMysqlDump(context, record, folderOf(context, record, as), step)
  return { dumped: { prefix: validPrefix(prefix), tables, skipped: [], isSettled: true }, counts }
}

/** Looks at the site while its files are packed. */
async function lookAt(
  context: LocalContext,
  record: SiteRecord,
  { dumped, counts }: { readonly dumped: Dumped | null; readonly counts: SeenSite['counts'] },
  step: Pick<StepContext, 'signal' | 'log'>,
): Promise<SeenSite> {
  const links = dumped === null ? null : await ifItWorks(step, (signal) => findLinks(context, record, signal), null)
  const paths = pagesToSee(links).map(([path = '/']) => path)
  const pages = await seeLocalPages(context, record, paths, step.signal)
  return { counts, title: titleIn(links), pages: answeredPages(pages) }
}

/** See `SiteExports.remove` and `SiteBackups.removePacked`. */
export async function removeExport(context: LocalContext, site: SiteRef, as: PackedAs = 'export'): Promise<void> {
  assertSiteRef(site)
  if (context.store.get(site.id) === undefined) return
  await rm(folderOf(context, site, as), { recursive: true, force: true })
}

function readyRecord({ store }: LocalContext, site: SiteRef): SiteRecord {
  const record = existingRecord(store, site)
  if (record.state === 'ready' && record.stopped !== true) return record
  throw new EngineError('conflict', msg`Only a site that is ready can be packed.`, {
    nextAction: msg`Wait until the site is ready.`,
  })
}

/**
 * The site's process writes the dump, from a copy of the database that has the state of one moment.
 * @param count looks at the database of that moment: it is copied again if the result is another one right after, a few times
 */
export async function writeDump(
  context: LocalContext,
  record: SiteRecord,
  step: StepContext,
  count: () => Promise<unknown> = async () => null,
): Promise<Dumped> {
  const { signal } = step
  const run = async (input: Record<string, unknown>) => {
    signal.throwIfAborted()
    const result = await runScript(context, record, { script: 'dump', input, signal })
    if (typeof result['problem'] === 'string') throw await cannotDump(context, record, result['problem'])
    return result
  }
  let before = await count()
  let begun = await run({ do: 'begin' })
  let isSettled = false
  for (let copies = 1; ; copies += 1) {
    const after = await count()
    isSettled = isDeepStrictEqual(before, after)
    if (isSettled || copies === maxCopies) break
    before = after
    begun = await run({ do: 'begin' })
  }
  const rows = new Map<string, number>()
  const skipped: string[] = []
  let after: unknown = null
  let runs = 0
  do {
    // Tables and rows come in one order, so it ends; the deadline of the step ends a site that says otherwise.
    const result = await run({ do: 'go', after })
    for (const [table, count] of rowsOf(result['rows'])) rows.set(table, (rows.get(table) ?? 0) + count)
    for (const table of textsOf(result['skipped'])) {
      skipped.push(table)
      step.log(`The table ${table} is none of MySQL’s kind and was left out`)
    }
    after = isObject(result['after']) ? result['after'] : null
    runs += 1
    step.progress(0.5 * (1 - 1 / (runs + 1)))
  } while (after !== null)
  step.log(`Wrote ${rows.size} tables with ${[...rows.values()].reduce((sum, count) => sum + count, 0)} rows`)
  return { prefix: validPrefix(begun['prefix']), tables: Object.fromEntries(rows), skipped, isSettled }
}

const validPrefix = (prefix: unknown): string =>
  typeof prefix === 'string' && /^\w{1,40}$/.test(prefix) ? prefix : 'wp_'

async function cannotDump({ store }: LocalContext, record: SiteRecord, problem: string): Promise<EngineError> {
  if (problem === 'no room') {
    if (await isDiskFull(store.paths(record.id).www)) return noDisk()
    return new EngineError('invalid', msg`The site has no room for a copy of its database and the dump.`, {
      nextAction: msg`Delete files of the site, or ask the platform admin for a larger quota.`,
    })
  }
  return new EngineError('unavailable', msg`The database could not be read: ${problem.slice(0, 200)}`, {
    nextAction: msg`Look at the error log of the site.`,
  })
}

/** Whatever became of the export: a dump must not stay in the site. Its next start or export removes what this can't. */
export async function forgetDump(context: LocalContext, record: SiteRecord): Promise<void> {
  await runScript(context, record, { script: 'dump', input: { do: 'end' } }).catch((error: unknown) =>
    context.options.log.warn('The dump of a site could not be removed', { site: record.id, error }),
  )
  context.storage.invalidate(record.id)
}

async function pack(
  context: LocalContext,
  record: SiteRecord,
  { as, dumped, seen }: { readonly as: PackedAs; readonly dumped: Dumped | null; readonly seen: Promise<SeenSite> },
  step: StepContext,
): Promise<void> {
  const { trees, storage, options } = context
  const { signal } = step
  const folder = await privateFolder(folderOf(context, record, as))
  const paths = packedPaths(context, record, as)
  const url = localSiteUrl(options, record)
  const target = join(folder, 'new')
  const isWordPress = dumped !== null
  const begin = isWordPress ? 0.5 : 0
  const { files, bytes } = await trees.run(
    'export',
    {
      ...(await siteFoldersOf(context, record)),
      container: packedAs[as].container,
      target,
      manifestTarget: as === 'backup' ? paths.manifest : null,
      without: isWordPress ? withoutOfWordPress : [],
      dump: isWordPress ? dumpPath : null,
      instead: isWordPress
        ? [
            {
              name: 'wp-config.php',
              content: configForHosts(
                dumped.prefix,
                record.network === undefined ? null : { host: new URL(record.network.origin).host, kind: 'subdir' },
              ),
            },
          ]
        : [],
      readme: readmeOf(isWordPress ? 'wp' : 'files', url, record.network === undefined ? null : 'subdir'),
      manifest: {
        format: exportFormat.name,
        version: exportFormat.version,
        created: new Date(context.now()).toISOString(),
        site: record.domain,
        engine: 'local',
        type: record.siteType,
        url,
        php_version: record.siteType === 'html' ? null : record.phpVersion,
        wordpress_version: record.wordpressVersion,
        table_prefix: dumped?.prefix ?? null,
        network: record.network === undefined ? null : 'subdir',
        tables: dumped?.tables ?? {},
        left_out: isWordPress ? withoutOfWordPress : [],
      },
      limits: storage.limitsOf(record),
    },
    { signal, onProgress: (count) => step.progress(begin + (1 - begin) * (count / (count + 2_000))), later: seen },
  )
  await rename(target, paths.archive)
  step.log(`Packed ${files} files into ${Math.ceil(bytes / 1_048_576)} MB`)
}

/** Measured before: what is packed is at most as large as the site. */
async function assertRoom(
  { trees, store, storage }: LocalContext,
  record: SiteRecord,
  step: StepContext,
): Promise<void> {
  const { www } = store.paths(record.id)
  const input = { paths: [www], entries: storage.limitsOf(record).entries + 1, cpuMs: 20_000, waited: true }
  const [found] = await trees.run('measure', input, { signal: step.signal })
  if (await isDiskFull(www, found?.bytes)) throw noDisk()
}

const noDisk = (): EngineError =>
  new EngineError('unavailable', msg`The disk of this machine has no room for an archive of the site.`, {
    nextAction: msg`Make room on the disk, then try again.`,
  })
