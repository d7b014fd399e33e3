import { msg } from '#shared/localized-message.ts'
import { restoresDatabase, type BackupWhat } from '#shared/rules/backups.ts'
import { join } from 'node:path'
import { exists } from '#server/platform/files/exists.ts'
import { isOneOf } from '#shared/is-one-of.ts'
import type { ImportDefect } from '#shared/responses/site-imports.ts'
import { assertTables, differInNetwork, noDatabase } from '../../backup-parts.ts'
import { assertFiles, assertRows } from '../../damaged-backup.ts'
import { EngineError, type EngineStep, type StepContext } from '../../engine.ts'
import { thisMachine, type SiteRef } from '../../site-ref.ts'
import type { LocalContext } from '../local-context.ts'
import { readNotes } from '../portable/import-notes.ts'
import { flushCaches } from '../domains/change-steps.ts'
import { replaceAddress } from '../domains/replace-address.ts'
import { requestSite } from '../site-operations.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import { existingRecord } from '../sites/site-store.ts'
import { databaseFolder, databaseName } from '../staging/database-snapshot.ts'
import { checkSite, pushStep, swapTree } from '../staging/push-steps.ts'
import type { PlacedFile } from '../trees/place-files.ts'
import { kindsOfDump } from '../portable/import-database.ts'
import { isMysqlSite, manifestOf } from './rehearse-steps.ts'
import { connectRestored, takeDatabase } from './restore-mysql.ts'
import { restoreTables, type Sides } from './restore-tables.ts'

/** See `SiteRestores.restoreSteps`. */
export function restoreSteps(context: LocalContext, site: SiteRef, rehearsal: SiteRef, what: BackupWhat): EngineStep[] {
  const sides = () => readySides(context, site, rehearsal, what)
  const step = (
    key: string,
    label: string,
    limits: { weight: number; deadlineSeconds: number },
    work: (found: Sides, own: StepContext) => Promise<void>,
  ) => pushStep(context, site, 'restore', { key, label, ...limits }, async (own) => work(await sides(), own))
  const withDatabase = restoresDatabase(what) && site.siteType === 'wp'
  const tables = typeof what === 'string' ? [] : what.tables
  const isOnMysql = isMysqlSite(context, site)
  return [
    step('pause', 'Keep visitors out', { weight: 1, deadlineSeconds: 60 }, async ({ live, rehearsal: taken }) => {
      if (isOnMysql && tables.length > 0) await context.mysql.assertApart([live.id, taken.id], tables)
      await context.awake.sleep(site.id)
    }),
    step('copy_files', 'Put the backup in place', { weight: 4, deadlineSeconds: 1_800 }, async (found, own) => {
      await replaceTree(context, found, what, own)
      if (isOnMysql && (what === 'all' || what === 'files')) await connectRestored(context, found.live, own.signal)
    }),
    ...(isOnMysql && withDatabase && tables.length === 0
      ? [
          step('copy_database', 'Put the database in place', { weight: 2, deadlineSeconds: 600 }, (found, own) =>
            takeDatabase(context, found, null, own),
          ),
        ]
      : []),
    ...(tables.length > 0
      ? [
          step('copy_tables', 'Put the tables in place', { weight: 3, deadlineSeconds: 3_600 }, (found, own) =>
            (isOnMysql ? takeDatabase : restoreTables)(context, found, tables, own),
          ),
        ]
      : []),
    ...(withDatabase
      ? [
          step('replace_urls', 'Replace the address', { weight: 3, deadlineSeconds: 1_800 }, (found, own) =>
            replaceAddress(
              context,
              found.live,
              { from: found.rehearsal.domain, to: found.live.domain, salts: {}, withoutPort: false },
              own,
            ),
          ),
        ]
      : []),
    ...(site.siteType === 'wp'
      ? [
          step('flush_caches', 'Empty the caches', { weight: 1, deadlineSeconds: 120 }, ({ live }, own) =>
            flushCaches(context, live, own),
          ),
        ]
      : []),
    step('check', 'Check that the site answers', { weight: 2, deadlineSeconds: 120 }, async ({ live }, own) => {
      await assertInstalled(context, live, own)
      await checkSite(context, site, own)
    }),
  ]
}

async function readySides(context: LocalContext, site: SiteRef, ref: SiteRef, what: BackupWhat): Promise<Sides> {
  const [live, rehearsal] = [existingRecord(context.store, site), existingRecord(context.store, ref)]
  const manifest = await manifestOf(context, rehearsal)
  const isSame = rehearsal.siteType === live.siteType && rehearsal.database === live.database
  if (rehearsal.state !== 'ready' || !isSame)
    throw new EngineError('conflict', msg`The rehearsal of the backup is not finished.`, {
      nextAction: msg`Rehearse it again.`,
    })
  const isPartly = typeof what !== 'string'
  if ((rehearsal.network === undefined) !== (live.network === undefined)) throw differInNetwork()
  if (isPartly) assertTables(manifest, what)
  else if (what === 'database' && live.siteType !== 'wp') throw noDatabase()
  const { damaged, rows, defects } = await readNotes(context, rehearsal.id)
  assertFiles(damaged)
  if (restoresDatabase(what)) {
    assertRows(new Map(rows), Object.entries(manifest.tables))
    if (live.database === 'mysql') assertLoaded(defects)
  }
  return { live, rehearsal }
}

/** Throws unless every view and trigger of the dump was made. */
function assertLoaded(defects: readonly ImportDefect[]): void {
  const left = defects.filter(({ kind }) => isOneOf(kindsOfDump, kind)).map(({ what, detail }) => `${what} (${detail})`)
  if (left.length > 0)
    throw new EngineError('invalid', msg`The database of the backup can’t be loaded as it was: ${left.slice(0, 3)}`, {
      nextAction: msg`Restore its files alone, or the backup as a new site, which has all that can be loaded.`,
    })
}

/**
 * The new tree is that of the rehearsal, or that of the site with the other's database, or with some of its files. The way back is the
 * same for all.
 */
async function replaceTree(
  context: LocalContext,
  { live, rehearsal }: Sides,
  what: BackupWhat,
  step: StepContext,
): Promise<void> {
  const { store, trees, storage, owners, awake } = context
  const { signal } = step
  const isPartly = typeof what !== 'string'
  const [main, other] = isPartly || what === 'database' ? [live, rehearsal] : [rehearsal, live]
  const from = store.paths(main.id).www
  const limits = storage.limitsOf(live)
  const isMixed = !isPartly && what !== 'all' && live.siteType === 'wp'
  const release = await awake.keepAsleep(rehearsal.id)
  try {
    await swapTree(context, live, from, step, async (into) => {
      const onProgress = (files: number) => step.progress(files / (files + 4_000))
      const without = isMixed && live.database !== 'mysql' ? [databaseFolder.join('/')] : []
      await trees.run('copy', { from, into, owner: owners.userOf(main), limits, without }, { signal, onProgress })
      if (isPartly && what.paths.length > 0) {
        const theirs = { from: store.paths(other.id).www, owner: owners.userOf(other) }
        await trees.run('graft', { ...theirs, into, paths: what.paths, limits }, { signal, onProgress })
      }
      if (!isMixed) return
      const theirs = store.paths(other.id).www
      const files = placedFrom(theirs, into, owners.userOf(other), {
        database: live.database !== 'mysql',
        config: what === 'files' && (await exists(join(theirs, 'wp-config.php'))),
      })
      await trees.run('place', { files, limits }, { signal })
    })
  } finally {
    release()
  }
}

/**
 * The database on SQLite, with what a process that was ended left of it; with the files, also the configuration, if it is there: its keys are
 * the site's own.
 */
function placedFrom(
  from: string,
  into: string,
  owner: number | null,
  { database, config }: { readonly database: boolean; readonly config: boolean },
): PlacedFile[] {
  const place = (below: readonly string[], name: string, optional: boolean): PlacedFile => ({
    ...{ from: { root: from, below, name }, into: { root: into, below, name } },
    ...{ owner, uid: null, optional },
  })
  return [
    ...(database ? ['', '-wal', '-shm', '-journal'] : []).map((end) =>
      place(databaseFolder, `${databaseName}${end}`, end !== ''),
    ),
    ...(config ? [place([], 'wp-config.php', false)] : []),
  ]
}

/** Files and database of different times may not belong together: then WordPress offers to install itself. */
async function assertInstalled(context: LocalContext, live: SiteRecord, { signal }: StepContext): Promise<void> {
  if (live.siteType !== 'wp') return
  const { headers } = await requestSite(context, { ...live, server: thisMachine }, '/', { signal })
  if (!(headers['location'] ?? '').includes('/wp-admin/install.php')) return
  throw new EngineError('conflict', msg`The configuration of the site names other tables than the database has.`, {
    nextAction: msg`Restore files and database together.`,
  })
}
