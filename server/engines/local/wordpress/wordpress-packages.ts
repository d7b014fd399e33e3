import { randomUUID } from 'node:crypto'
import { rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { msg } from '#shared/localized-message.ts'
import { stagedPackage, type StagedPackage } from '#shared/responses/wordpress-packages.ts'
import { EngineError } from '../../engine.ts'
import type { InstalledPackage, PackageType, WordPressPackages } from '../../wordpress-packages.ts'
import { packagesOf } from '../../wordpress-checksums.ts'
import { changePackage, runPackage, unreadable } from '../../wordpress-scripts.ts'
import { downloadPackage } from '../core/wordpress-packages.ts'
import { wordpressOrg } from '../core/wordpress-org.ts'
import type { LocalFiles } from '../files/local-files.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import type { Trees } from '../trees/trees.ts'
import type { PackageArchives } from '../wordpress-files/package-archives.ts'
import { adoptStagedSums, forgetStaged, keepStagedSums, type KeptPackage } from '../wordpress-files/kept-sums.ts'
import { archiveOf, keptPackage } from '../wordpress-files/originals.ts'
import { managedRecord, scriptsOf, type ScriptContext } from './run-script.ts'

/** Largest package of wordpress.org. */
const maxDownloadBytes = 256 * 1024 * 1024
/** Folder of what is staged; `php/package.php` knows it, too. */
const stagedFolder = 'wp-content/.easydash-previous/staged'

/** What installing packages needs. */
export interface PackageContext extends ScriptContext {
  readonly options: { readonly wordpressOrgUrl: string | null }
  readonly unpackNew: LocalFiles['unpackNew']
  readonly trees: Trees
  readonly archives: PackageArchives
}

/**
 * Archives are checked and unpacked by a short-lived process that has become the site's user, whatever their size. What is in them is
 * then read and moved into place by a script in the site's process: a hostile one can harm nothing but the site.
 */
export function createWordPressPackages(context: PackageContext): WordPressPackages {
  return {
    stage: async (site, file, { id, signal }) =>
      stage(context, managedRecord(context, site), { file, id, source: 'uploaded', signal }),
    async discard(site, id) {
      const record = managedRecord(context, site)
      await run(context, record, { act: 'discard', staged: id, safe: true })
      await forgetStaged(context.store.paths(record.id).folder, id)
    },
    async install(site, type, source, { operationId, replace = false, signal }) {
      const record = managedRecord(context, site)
      const staged = 'staged' in source ? source.staged : await download(context, record, type, source.slug, signal)
      return installStaged(context, record, { type, staged, operationId, replace, signal })
    },
    restore: async (site, type, folder, options) =>
      restore(context, managedRecord(context, site), { type, folder, ...options }),
    rollBack: async (site, type, id, operationId) =>
      change(context, managedRecord(context, site), { act: 'roll_back', operation: operationId, type, id, safe: true }),
    undo: async (site, operationId) => {
      await change(context, managedRecord(context, site), { act: 'undo', operation: operationId, safe: true })
    },
  }
}

async function stage(
  context: PackageContext,
  record: SiteRecord,
  { file, id, source, signal }: StagedFile,
): Promise<StagedPackage> {
  if (!/^[\w-]{1,64}$/.test(id)) throw new Error('This is no id of a package.')
  if ((await stat(file)).size < 22) throw noArchive()
  await context.unpackNew(record, file, `${stagedFolder}/${id}`, signal)
  const { data } = stagedPackage.safeParse(await run(context, record, { act: 'stage', staged: id, safe: true }, signal))
  if (!data) throw unreadable()
  const sums = await context.trees.run('sums', { archive: file }, signal ? { signal } : {})
  if (sums !== null) {
    const archive = await context.archives.keep(file, record.id)
    await keepStagedSums(context.store.paths(record.id).folder, id, { ...sums, source, archive })
  }
  return data
}

interface StagedFile {
  readonly file: string
  readonly id: string
  readonly source: KeptPackage['source']
  readonly signal: AbortSignal | undefined
}

interface StagedInstall {
  readonly type: PackageType
  readonly staged: string
  readonly operationId: string
  readonly replace: boolean
  readonly signal: AbortSignal | undefined
  /** Without the site's own code, which may be what has to be replaced. */
  readonly safe?: boolean
}

async function installStaged(
  context: PackageContext,
  record: SiteRecord,
  { type, staged, operationId, replace, signal, safe = false }: StagedInstall,
): Promise<InstalledPackage> {
  const call = { act: 'install', operation: operationId, type, staged, replace, safe }
  const done = await change(context, record, call, signal)
  await adoptSums(context, record, staged, { type, done })
  return done
}

/** Installs the kept package of the version that is there. */
async function restore(
  context: PackageContext,
  record: SiteRecord,
  {
    type,
    folder,
    operationId,
    signal = AbortSignal.timeout(120_000),
  }: {
    readonly type: PackageType
    readonly folder: string
    readonly operationId: string
    readonly signal?: AbortSignal | undefined
  },
): Promise<InstalledPackage> {
  const all = await packagesOf(scriptsOf(context, record), signal)
  const about = all.find((one) => one.type === type && one.folder === folder)
  const kept = about === undefined ? null : await keptPackage(context, record, about)
  const file = kept === null ? null : await archiveOf(context, kept)
  if (kept === null || file === null) throw noOriginal()
  const staged = randomUUID()
  await stage(context, record, { file, id: staged, source: kept.source, signal })
  return installStaged(context, record, { type, staged, operationId, replace: true, signal, safe: true })
}

/** What was unpacked is now the version in use: its files can be verified later. */
async function adoptSums(
  { store }: PackageContext,
  record: SiteRecord,
  staged: string,
  { type, done: { id, version } }: { readonly type: PackageType; readonly done: InstalledPackage },
): Promise<void> {
  const folder = type === 'theme' ? id : (id.split('/')[0] ?? '')
  await adoptStagedSums(store.paths(record.id).folder, staged, { type, version, folder })
}

/** Stages the newest version of wordpress.org; returns the id. */
async function download(
  context: PackageContext,
  record: SiteRecord,
  type: PackageType,
  slug: string,
  signal: AbortSignal = AbortSignal.timeout(120_000),
): Promise<string> {
  const id = randomUUID()
  const file = join(tmpdir(), `easydash-package-${id}.zip`)
  try {
    const org = wordpressOrg(context.options.wordpressOrgUrl)
    await downloadPackage(org, type, slug, { file, maxBytes: maxDownloadBytes, signal })
    await stage(context, record, { file, id, source: 'installed', signal })
    return id
  } finally {
    await rm(file, { force: true })
  }
}

/** PHP keeps compiled files for a while, so the process starts anew with the changed ones. */
async function change(
  context: PackageContext,
  record: SiteRecord,
  input: Readonly<Record<string, unknown>>,
  signal?: AbortSignal,
): Promise<InstalledPackage> {
  const data = await changePackage(scriptsOf(context, record), input, signal)
  await context.awake.sleep(record.id)
  return data
}

const run = (
  context: PackageContext,
  record: SiteRecord,
  input: Readonly<Record<string, unknown>>,
  signal?: AbortSignal,
) => runPackage(scriptsOf(context, record), input, signal)

const noArchive = () =>
  new EngineError('invalid', msg`This is no ZIP file, or it is damaged.`, { nextAction: msg`Choose another file.` })

const noOriginal = () =>
  new EngineError('not_found', msg`The original files are not kept.`, {
    nextAction: msg`Update it, or upload its ZIP file again.`,
  })
