import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { statIfExists } from '#server/platform/files/exists.ts'
import { labelMessage, msg } from '#shared/localized-message.ts'
import { EngineError, type EngineStep, type StepContext } from '../engine.ts'
import { filesInManifest, readManifest } from '../manifest-reader.ts'
import { answeredPages, noCounts, pagesToSee, seePages, titleIn } from '../seen-pages.ts'
import type { PackedSite, SiteBackups } from '../site-backups.ts'
import { exportFormat, type SiteManifest } from '../site-manifest.ts'
import type { SiteRef } from '../site-ref.ts'
import { assertSite } from './arguments.ts'
import type { EeContext } from './ee-context.ts'
import { fetchPart, findPart, type PackedName, type PackedPart } from './fetch-packed.ts'
import { isEnabled, type EeRow } from './inventory.ts'
import { archivePaths, writeArchive } from './pack-archive.ts'
import { isPassing, look, mutate, outputOf, stop } from './remote.ts'
import { addressOf } from './request.ts'
import type { ManagedSite } from './scripts.ts'
import { answerOf, factsOf, linksOf } from './seen-site.ts'
import { existingSite, workdirOf } from './site-of.ts'
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

const unpackable = {
  php: 'Databases of PHP sites on servers are not backed up, so their backups would not be whole.',
} as const

/** Dumps of a database that changes meanwhile. */
const maxDumps = 3

/** What a server puts together of a site. */
type Packable = 'database' | 'files' | 'list'

const packedNames = {
  database: 'database.sql.gz',
  files: 'files.tar.gz',
  list: 'list.gz',
} as const satisfies Readonly<Record<Packable, PackedName>>

/** Names what packs a part of a site on its server. */
const packingOf = (id: string, part: Packable): string => `ee-${id}-pack-${part}`

/** Backups of sites on servers: their server puts them together, this machine writes the archive. */
export function createEeBackups(context: EeContext): SiteBackups {
  return {
    unpackable,
    packSteps: (site) => packSteps(context, site),
    packed: (site) => packedSite(context, site),
    removePacked: (site) => removePacked(context, site),
  }
}

/** Folder of what is packed of a site, on this machine. */
function folderOf({ packedFolder }: EeContext, { id, domain }: SiteRef): string {
  assertSite({ id, domain })
  return join(packedFolder, id)
}

/** What was sent and the archive belong together, so all is one step: a retry begins anew. */
function packSteps(context: EeContext, site: SiteRef): EngineStep[] {
  assertSite(site)
  return [
    {
      key: 'pack',
      label:
        site.siteType === 'wp'
          ? 'Pack database and files on the server, and fetch them'
          : 'Pack the files on the server, and fetch them',
      weight: 3,
      deadlineSeconds: 7_200,
      run: (step) => packSite(context, site, site.id, step),
    },
  ]
}

/** Packs a site under the id of whatever it is packed for. */
export async function packSite(context: EeContext, site: SiteRef, as: string, step: StepContext): Promise<void> {
  step.signal.throwIfAborted()
  const packed = { ...site, id: as }
  const { row } = await packableSite(context, site, step.signal)
  await rm(folderOf(context, packed), { recursive: true, force: true })
  try {
    await pack({ context, site, packed }, row, step)
  } catch (error) {
    await removePacked(context, packed)
    throw error
  }
  await removeRemote(context, packed)
  step.progress(1)
}

/** The archive that a site was packed into. */
export const packedArchive = (context: EeContext, packed: SiteRef): string =>
  archivePaths(folderOf(context, packed)).archive

/** What is packed, and under which id. */
export interface Packing {
  readonly context: EeContext
  readonly site: SiteRef
  readonly packed: SiteRef
}

/** A site that runs and has nothing that a backup would lose. */
export async function packableSite(context: EeContext, site: SiteRef, signal: AbortSignal): Promise<{ row: EeRow }> {
  const { row } = await existingSite(context, site, signal)
  if (!isEnabled(row))
    throw new EngineError('conflict', msg`The site does not run at the moment.`, {
      nextAction: msg`Resume the site first.`,
    })
  if (row.site_type === 'php' && (row.db_name ?? '') !== '')
    throw new EngineError('unsupported', labelMessage(unpackable.php), { nextAction: msg`Back it up on its server.` })
  if (workdirOf(row) !== '/var/www/htdocs')
    throw new EngineError(
      'unsupported',
      msg`The site is served from a folder inside of its files, which backups would not keep.`,
      {
        nextAction: msg`Back it up on its server.`,
      },
    )
  return { row }
}

async function pack({ context, site, packed }: Packing, row: EeRow, step: StepContext): Promise<void> {
  const { signal } = step
  const isSecure = (row.site_ssl ?? '') !== ''
  const managed: ManagedSite & Pick<Packing, 'packed'> = {
    packed,
    context,
    site,
    workdir: workdirOf(row),
    isSecure,
  }
  const isWordPress = row.site_type === 'wp'
  const dumped = isWordPress ? await packDatabase(managed, step) : null
  const files = await packPart(managed, 'files', isWordPress ? withoutOfWordPress : [], step)
  step.progress(0.3)
  const links = isWordPress ? await linksOf(managed, signal) : null
  const pages = await seePages(
    pagesToSee(links).map(([path = '/']) => path),
    (path) => answerOf(context, { ...site, isSecure }, path, signal),
  )
  const total = files.bytes + (dumped?.part.bytes ?? 0)
  let fetched = 0
  const onBytes = (count: number) => {
    fetched += count
    step.progress(0.3 + (0.7 * fetched) / total)
  }
  await writeArchive(
    {
      folder: folderOf(context, packed),
      manifest: {
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
        counts: dumped?.counts ?? noCounts,
        pages: answeredPages(pages),
        left_out: isWordPress ? withoutOfWordPress : [],
      },
      dump: dumped === null ? null : fetchPart(context, packed, dumped.part, { signal, onBytes }),
      files: fetchPart(context, packed, files, { signal, onBytes }),
    },
    step,
  )
}

/** A dump, and what WordPress said about itself at its moment. */
interface Dumped {
  readonly part: PackedPart
  readonly counts: SiteManifest['counts']
  readonly version: string | null
  readonly prefix: string
}

/** Dumps the database; again if WordPress counts something else right after. */
async function packDatabase(managed: ManagedSite & Packing, step: StepContext): Promise<Dumped> {
  const { context, site, workdir } = managed
  const prefix = await tablePrefixOf(context, site, workdir, step.signal)
  let before = await factsOf(managed, step.signal)
  if (before.isNetwork)
    throw new EngineError('unsupported', msg`A network of sites (multisite) on a server can’t be backed up yet.`, {
      nextAction: msg`Back it up on its server.`,
    })
  for (let dumps = 1; ; dumps += 1) {
    const part = await packPart(managed, 'database', [], step)
    const after = await factsOf(managed, step.signal)
    if (isDeepStrictEqual(before.counts, after.counts) || dumps === maxDumps) {
      step.log('Dumped the database')
      return { ...before, part, prefix }
    }
    before = after
  }
}

/** Has the server put a part together, beside nothing else that changes it. */
export async function packPart(
  { context, site, packed, workdir }: Packing & Pick<ManagedSite, 'workdir'>,
  part: Packable,
  without: readonly string[],
  step: Pick<StepContext, 'signal' | 'log'>,
): Promise<PackedPart> {
  const { signal } = step
  // Only what this run packs counts.
  const token = randomBytes(8).toString('hex')
  const name = packedNames[part]
  const find = () => findPart(context, packed, { name, token, signal })
  await mutate(context, site.server, {
    id: packingOf(packed.id, part),
    script: part === 'database' ? 'pack-database' : 'pack-files',
    args:
      part === 'database'
        ? [site.domain, workdir, packed.id, token]
        : [site.domain, packed.id, token, name, ...without],
    signal,
    isDone: async () => (await find()) !== null,
    onLine: step.log,
  })
  const found = await find()
  if (found) return found
  throw new EngineError('unavailable', msg`What the server packed is gone.`, {
    retryable: true,
    nextAction: msg`Retry.`,
  })
}

async function packedSite(context: EeContext, site: SiteRef): Promise<PackedSite> {
  const { archive, manifest } = archivePaths(folderOf(context, site))
  const found = await statIfExists(archive)
  if (found === null)
    throw new EngineError('not_found', msg`The packed site is no longer there.`, {
      nextAction: msg`Back it up again.`,
    })
  return {
    file: {
      size: found.size,
      tag: String(found.mtimeMs),
      open: (range) => createReadStream(archive, range ?? {}),
      close: async () => undefined,
    },
    manifest: await readManifest(createReadStream(manifest)),
    files: () => filesInManifest(createReadStream(manifest)),
  }
}

/** Removes what was packed, here and on the server. A server that is away keeps it until the next backup, or until the site is deleted. */
export async function removePacked(context: EeContext, site: SiteRef): Promise<void> {
  await rm(folderOf(context, site), { recursive: true, force: true })
  await removeRemote(context, site)
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
