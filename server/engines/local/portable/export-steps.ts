import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isDiskFull } from '#server/platform/files/disk-space.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError, type EngineStep, type StepContext } from '../../engine.ts'
import { configForHosts, readmeOf } from '../../host-files.ts'
import { answeredPages, noCounts, pagesToSee, titleIn, type SeenLinks } from '../../seen-pages.ts'
import { constantsIn } from '../../site-constants.ts'
import { exportFormat, exportNames } from '../../site-manifest.ts'
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
import { forgetDump, noDisk, validPrefix, writeDump, type Dumped } from './write-dump.ts'

/** What makes sense here only, and what WordPress makes again. */
export const withoutOfWordPress = [
  'wp-config.php',
  'wp-content/db.php',
  'wp-content/database',
  'wp-content/mu-plugins/sqlite-database-integration',
  'wp-content/cache',
  'wp-content/upgrade',
  'wp-content/upgrade-temp-backup',
  'wp-content/debug.log',
]

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
          const watching = { signal, log: (text: string) => step.log(text) }
          const { dumped } = dumping.value
          const links = dumped && (await ifItWorks(watching, (own) => findLinks(context, record, own), null))
          const seen = lookAt(context, record, { links, counts: dumping.value.counts }, signal)
          // Its failure is that of the packing, which asks for it later.
          seen.catch(() => undefined)
          try {
            await pack(context, record, { as, dumped, links, seen }, step)
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
  { links, counts }: { readonly links: SeenLinks | null; readonly counts: SeenSite['counts'] },
  signal: AbortSignal,
): Promise<SeenSite> {
  const paths = pagesToSee(links).map(([path = '/']) => path)
  const pages = await seeLocalPages(context, record, paths, signal)
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

interface Packing {
  readonly as: PackedAs
  readonly dumped: Dumped | null
  readonly links: SeenLinks | null
  readonly seen: Promise<SeenSite>
}

async function pack(
  context: LocalContext,
  record: SiteRecord,
  { as, dumped, links, seen }: Packing,
  step: StepContext,
): Promise<void> {
  const { trees, storage, options } = context
  const { signal } = step
  const folder = await privateFolder(folderOf(context, record, as))
  const paths = packedPaths(context, record, as)
  const url = localSiteUrl(options, record)
  const target = join(folder, 'new')
  const isWordPress = dumped !== null
  const constants = constantsIn(links)
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
              content: configForHosts({
                ...{ prefix: dumped.prefix, constants },
                network:
                  record.network === undefined ? null : { host: new URL(record.network.origin).host, kind: 'subdir' },
              }),
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
        ...(isWordPress
          ? { database_kind: record.database === 'mysql' ? ('mysql' as const) : ('sqlite' as const), constants }
          : {}),
        network: record.network === undefined ? null : 'subdir',
        tables: dumped?.tables ?? {},
        left_out: isWordPress ? withoutOfWordPress : [],
        not_packed: (dumped?.skipped ?? []).slice(0, 90).map((name) => `table ${name}`.slice(0, 200)),
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
