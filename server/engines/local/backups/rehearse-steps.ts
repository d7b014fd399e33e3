import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { sizeOf } from '#server/platform/files/size-of.ts'
import { createRowCounter } from '#server/platform/mysql/count-rows.ts'
import { msg } from '#shared/localized-message.ts'
import { membersOf } from '../../archive-members.ts'
import { noBackup } from '../../damaged-backup.ts'
import { EngineError, type EngineStep, type StepContext } from '../../engine.ts'
import { exportNames, type ManifestSummary } from '../../site-manifest.ts'
import type { SiteRef } from '../../site-ref.ts'
import { noFacts } from '../archives/site-archive.ts'
import { assertMysql } from '../mysql/refusals.ts'
import { replaceHost } from '../domains/replace-address.ts'
import { localSiteUrl } from '../local-base.ts'
import type { LocalContext } from '../local-context.ts'
import { importDatabase } from '../portable/import-database.ts'
import { importFiles } from '../portable/import-files.ts'
import { note, readNotes } from '../portable/import-notes.ts'
import { inspectArchive, newSiteSteps, prepareCore } from '../portable/import-steps.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import { databaseFolder } from '../staging/database-snapshot.ts'

/** Folder for what has to be unpacked before it can be read; removed with the rehearsal at the latest. */
const partsOf = ({ store }: LocalContext, id: string): string => join(store.paths(id).folder, 'parts')

/**
 * See `SiteRehearsals.rehearseSteps`. What an import does to make a site one of its own is left out: a rehearsal is to be what was
 * backed up, and may be put in its place.
 */
export function rehearseSteps(
  context: LocalContext,
  rehearsal: SiteRef,
  path: string,
  target: SiteRef | null = null,
): EngineStep[] {
  const isOnMysql = target !== null && isMysqlSite(context, target)
  if (isOnMysql) assertMysql(context.mysql, target)
  const step = newSiteSteps(context, rehearsal, { rehearsal: true, ...(isOnMysql ? { database: 'mysql' } : {}) })
  const unpack = step(
    { key: 'unpack', label: 'Unpack the backup', weight: 4, deadlineSeconds: 1_800 },
    async (record, own) => {
      const parts = partsOf(context, record.id)
      const archive = { archive: path, parts, bytes: await sizeOf(path) }
      const about = await inspectArchive(context, archive, own.signal)
      const { manifest } = about
      if (manifest === null || manifest.type !== record.siteType || !URL.canParse(manifest.url)) throw noBackup()
      const rows = manifest.type !== 'wp' && manifest.database !== null ? await rowsIn(path, own.signal) : []
      await note(context, record.id, { manifest, rows })
      const made = about.facts.isNetwork ? await asNetwork(context, record, manifest.url) : record
      await importFiles(context, made, { archive, about, isBackup: true }, own)
      await rm(parts, { recursive: true, force: true })
    },
  )
  const ready = step(
    { key: 'ready', label: 'Finish the rehearsal', weight: 1, deadlineSeconds: 120 },
    async (record, own) => {
      const { wordpress_version: wordpressVersion } = await manifestOf(context, record)
      const { www } = context.store.paths(record.id)
      // A restore must not bring the dump back with the files.
      if (record.siteType === 'wp') await removeDump(context, www, own)
      await context.store.change(record.id, (now) => ({ ...now, wordpressVersion, installed: true, state: 'ready' }))
      context.storage.invalidate(record.id)
    },
  )
  if (rehearsal.siteType !== 'wp') return [unpack, ready]
  return [
    step({ key: 'prepare_core', label: 'Prepare WordPress', weight: 1, deadlineSeconds: 600 }, prepareCore(context)),
    unpack,
    step({ key: 'import_database', label: 'Import the database', weight: 6, deadlineSeconds: 3_600 }, (record, own) =>
      importDatabase(context, record, noFacts, own),
    ),
    step(
      { key: 'replace_urls', label: 'Replace the address', weight: 3, deadlineSeconds: 1_800 },
      async (record, own) => {
        const { url } = await manifestOf(context, record)
        const to = localSiteUrl(context.options, record)
        const hosts = { from: new URL(url).host, to: new URL(to).host }
        await replaceHost(context, record, { ...hosts, salts: {}, without_port: false }, own)
      },
    ),
    ready,
  ]
}

/** Whether a site of this machine is on MySQL. */
export const isMysqlSite = ({ store }: LocalContext, { id }: SiteRef): boolean => store.get(id)?.database === 'mysql'

/** Rows of each table in the dump of an archive. */
async function rowsIn(archive: string, signal: AbortSignal): Promise<[table: string, rows: number][]> {
  const { through, rows } = createRowCounter()
  const passed = new Writable({ write: (_chunk, _encoding, done) => done() })
  for await (const { header, content } of membersOf(archive))
    if (header.name === exportNames.dump)
      await pipeline(Readable.from(content, { objectMode: false }), through, passed, { signal })
    else for await (const _chunk of content) signal.throwIfAborted()
  return [...rows]
}

/** Its sites have the address of the network that was backed up, until it is replaced. */
async function asNetwork({ store }: LocalContext, record: SiteRecord, url: string): Promise<SiteRecord> {
  const { origin } = new URL(url)
  return (await store.change(record.id, (now) => ({ ...now, network: { origin } }))) ?? record
}

const removeDump = ({ trees }: LocalContext, root: string, { signal }: StepContext): Promise<null> =>
  trees.run('unplace', { root, below: databaseFolder, prefix: '.ht.easydash-' }, { signal })

/** What the backup of a rehearsal says. Throws EngineError `conflict` if the site is none. */
export async function manifestOf(context: LocalContext, record: SiteRecord): Promise<ManifestSummary> {
  const { manifest } = await readNotes(context, record.id)
  if (record.rehearsal === true && manifest !== null) return manifest
  throw new EngineError('conflict', msg`The site is no rehearsal of a backup.`, {
    nextAction: msg`Rehearse the backup first.`,
  })
}
