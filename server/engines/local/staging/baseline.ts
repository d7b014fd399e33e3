import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { diskSpace, minFreeBytes } from '#server/platform/files/disk-space.ts'
import type { LocalContext } from '../local-context.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import type { TreeLimits } from '../trees/limits.ts'
import type { PlacedFile } from '../trees/place-files.ts'
import { databaseFolder, databaseName, withDatabaseFile } from './database-snapshot.ts'

/** Files of a staging site that show later what changed; only we can enter their folder. */
export const baselineOf = (folder: string) => ({
  /** All files as they were copied. */
  manifest: join(folder, 'files.jsonl'),
  folder,
  /** The database of the source as it was copied. */
  base: 'base.sqlite',
  /** The database of the copy when it was ready. */
  start: 'start.sqlite',
})

/** A database is no larger than its site's quota allows, and what is kept of it beside the site must not fill the disk. */
async function keptLimits(
  { store, storage }: Pick<LocalContext, 'store' | 'storage'>,
  record: SiteRecord,
): Promise<TreeLimits> {
  const { free } = await diskSpace(store.root)
  return {
    ...storage.limitsOf(record),
    bytes: Math.max(0, Math.min(storage.limitsOf(record).bytes, free - minFreeBytes)),
  }
}

/** Lists the files of a copy, and keeps the SQLite database of its source, before anybody can change them. */
export async function keepCopied(
  context: LocalContext,
  record: SiteRecord,
  copied: string,
  signal: AbortSignal,
): Promise<void> {
  const { store, trees, storage } = context
  const { baseline } = store.paths(record.id)
  await mkdir(baseline, { recursive: true, mode: 0o700 })
  const kept = baselineOf(baseline)
  const tree = { root: copied, owner: null }
  const limits = storage.limitsOf(record)
  await trees.run('manifest', { tree, target: kept.manifest, limits }, { signal })
  if (record.siteType !== 'wp' || record.database === 'mysql') return
  const from = { root: copied, owner: null, name: databaseName }
  await place(context, record, { from, folder: baseline, name: kept.base, signal })
}

/** Keeps the MySQL database of a staging site as it was copied from its source, before anything changes it. */
export const keepLoaded = (context: LocalContext, record: SiteRecord, signal: AbortSignal): Promise<void> =>
  keepDatabase(context, record, { ...nameIn(context, record, 'base'), signal })

/** Keeps the database of a staging site that is ready. It sleeps meanwhile. */
export async function keepReady(context: LocalContext, record: SiteRecord, signal: AbortSignal): Promise<void> {
  if (record.siteType === 'wp') await keepDatabase(context, record, { ...nameIn(context, record, 'start'), signal })
}

/** Keeps what a site is like after a push, so that a rollback can say what it would lose. It sleeps meanwhile. */
export async function keepPushed(context: LocalContext, record: SiteRecord, signal: AbortSignal): Promise<void> {
  const { store, trees, awake, owners, storage } = context
  const { www, pushedNew } = store.paths(record.id)
  const tree = { root: www, owner: owners.userOf(record) }
  const kept = baselineOf(pushedNew)
  const release = await awake.keepAsleep(record.id)
  try {
    await trees.run('remove', { paths: [pushedNew] }, { signal })
    await mkdir(pushedNew, { mode: 0o700 })
    await trees.run('manifest', { tree, target: kept.manifest, limits: storage.limitsOf(record) }, { signal })
  } finally {
    release()
  }
  if (record.siteType === 'wp') await keepDatabase(context, record, { folder: pushedNew, name: kept.base, signal })
}

const nameIn = ({ store }: LocalContext, { id }: SiteRecord, which: 'base' | 'start') => {
  const { folder, [which]: name } = baselineOf(store.paths(id).baseline)
  return { folder, name }
}

interface Kept {
  readonly folder: string
  readonly name: string
  readonly signal: AbortSignal
}

/** Copies the database of a site that nobody uses into one of our folders. */
async function keepDatabase(context: LocalContext, record: SiteRecord, into: Kept): Promise<void> {
  const root = context.store.paths(record.id).www
  const owner = context.owners.userOf(record)
  await withDatabaseFile(context, record, { signal: into.signal, seconds: 20 }, (name) =>
    place(context, record, { from: { root, owner, name }, ...into }),
  )
}

/** Copies a database of a tree, with the journal of a process that was killed. */
async function place(
  context: LocalContext,
  record: SiteRecord,
  {
    from,
    folder,
    name,
    signal,
  }: Kept & { readonly from: { readonly root: string; readonly owner: number | null; readonly name: string } },
): Promise<void> {
  const files = ['', '-journal'].map((end): PlacedFile => ({
    from: { root: from.root, below: databaseFolder, name: `${from.name}${end}` },
    owner: from.owner,
    into: { root: folder, below: [], name: `${name}${end}` },
    uid: null,
    optional: end !== '',
  }))
  await context.trees.run('place', { files, limits: await keptLimits(context, record) }, { signal })
}
