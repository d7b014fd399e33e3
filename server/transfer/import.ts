import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { diskSpace } from '#server/platform/files/disk-space.ts'
import { promisify } from 'node:util'
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { listNames } from '#server/platform/files/list-folder.ts'
import type { AnySchema, Database, Db } from '#server/platform/database/database.ts'
import type { Keyring } from '#server/platform/secrets/keyring.ts'
import { verifyKeyring } from '#server/platform/secrets/secrets.ts'
import { StartupError, systemErrorCode } from '#server/platform/processes/startup-error.ts'
import { unfinishedJobStatuses } from '#shared/rules/job-statuses.ts'
import { msg, serializeMessage } from '#shared/localized-message.ts'
import type { WpcSite } from '#shared/doctypes/wpc-site.ts'
import { engineHostOf } from '#shared/rules/engines.ts'
import { isExported, type Manifest } from './format.ts'
import { incomingFiles } from './incoming-files.ts'
import { archiveSummary, markExcludedSites } from './excluded-sites.ts'
import { readMembers } from './read-members.ts'
import { damagedArchive, invalidArchive } from './archive-errors.ts'
import { exportedTables, rowsIn, type RowsIn } from './rows.ts'
import { finishInterruptedImport, importedFolders, recordImport } from './unfinished-import.ts'

/** Options of an import. The caller holds the data folder's lock, and the database is migrated. */
export interface ImportOptions {
  readonly database: Database
  readonly dataDir: string
  readonly ring: Keyring
  readonly source: string
  /** Details of this installation; an archive must match it. */
  readonly here: Pick<Manifest, 'schema' | 'machine'>
  /** Tables whose rows a start creates by itself: they don't count as use, and the import removes them. */
  readonly seeded: readonly string[]
  /** Records the activity in the import's transaction. */
  readonly record: (trx: Db, details: ImportDetails) => Promise<void>
  readonly print: (line: string) => void
  readonly signal: AbortSignal
}

/** Details of an import in the activity log. */
interface ImportDetails {
  readonly import: string
  readonly made: string
  readonly version: string
  /** Document names of the sites imported without files. */
  readonly without: readonly string[]
}

/** Contents of an archive. */
export interface ArchiveDetails {
  readonly manifest: Manifest
  readonly rows: number
  readonly files: number
  readonly sites: number
  /** Total size in bytes. */
  readonly bytes: number
}

/**
 * Reads an archive to its end without writing anything: checks keys, completeness, names, counts, and whether it matches
 * this release. `maxBytes`: maximum expanded size in bytes; the archive is rejected as soon as it exceeds this.
 */
export async function checkArchive(
  options: Pick<ImportOptions, 'ring' | 'source' | 'here' | 'signal'>,
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<ArchiveDetails> {
  const counts = { rows: 0, files: 0, sites: 0, bytes: 0 }
  const { manifest, end } = await readMembers(
    options.source,
    options.ring,
    {
      manifest(found) {
        return Promise.resolve(assertCompatible(found, options.here))
      },
      content(member, { size }) {
        counts.bytes += size
        if (counts.bytes > maxBytes)
          throw new StartupError(
            'The archive holds more than this disk has room for.',
            'Free some space, or set EASYDASH_DATA_DIR to a folder on another disk.',
          )
        if (member.kind === 'file') counts.files += 1
        if (member.kind === 'site' && member.path === 'site.json') counts.sites += 1
        return Promise.resolve(null)
      },
    },
    options.signal,
  )
  const rows = Object.values(end.rows).reduce((sum, count) => sum + count, 0)
  return { ...counts, rows, manifest }
}

/**
 * Two members with the same name, or one below another that is a file; rows that a table rejects (classes 22 and 23 of
 * PostgreSQL's codes): no export writes that.
 */
function isForeignFormat(code: string): boolean {
  return ['EEXIST', 'ENOTDIR'].includes(code) || /^2[23][0-9A-Z]{3}$/.test(code)
}

/** An archive can only be imported by the release whose tables it was read from: its rows are restored unchanged. */
function assertCompatible({ schema, version }: Manifest, here: ImportOptions['here']): void {
  if (schema.version !== here.schema.version)
    throw new StartupError(
      `The archive was made by Easydash ${version}, whose database has another form (schema ${schema.version}).`,
      'Import it with that release, then upgrade.',
    )
}

/**
 * Imports an archive into an unused installation, completely or not at all. The whole archive is checked before anything is
 * written. Throws `StartupError`.
 */
export async function importInstance(options: ImportOptions): Promise<ArchiveDetails> {
  const { database, dataDir, print, signal } = options
  if (await finishInterruptedImport(dataDir, database.db)) print('Removed what an import left that was cut off.')
  await mustBeUnused(options)
  const archive = await checkArchive(options, (await diskSpace(dataDir)).free)
  print(`${archiveSummary(archive.manifest)}: ${archive.rows} rows, ${archive.files} uploads, ${archive.sites} sites.`)
  const id = randomUUID()
  // A dedicated pool: no statement timeout, and COPY needs the connection of the transaction.
  const pool = new pg.Pool({ ...database.connectionConfig, max: 1 })
  let client: pg.ClientBase | null = null
  pool.on('connect', (one) => {
    client = one
    // If the connection is lost, the next statement fails and everything is rolled back.
    one.on('error', () => undefined)
  })
  pool.on('error', () => undefined)
  const db = new Kysely<AnySchema>({ dialect: new PostgresDialect({ pool }) })
  try {
    await recordImport(dataDir, id)
    await db.transaction().execute(async (trx) => {
      // The connection is idle while files are written.
      await sql`set local idle_in_transaction_session_timeout = 0`.execute(trx)
      await takeTables(trx, archive.manifest, options.seeded)
      // The pool's only connection is the transaction's.
      if (client === null) throw new Error('The import has no connection.')
      await writeContents(options, trx, client, archive)
      const { made, version, without } = archive.manifest
      await options.record(trx, { import: id, made, version, without: without.map(({ name }) => name) })
      // Files must be on disk before the rows that reference them are committed.
      await promisify(execFile)('sync', [])
      signal.throwIfAborted()
    })
    return archive
  } catch (error) {
    throw isForeignFormat(systemErrorCode(error)) ? damagedArchive(error) : error
  } finally {
    await db.destroy()
    await finishInterruptedImport(dataDir, database.db)
  }
}

/** Rejects an installation that contains any data, except what a start creates by itself. */
async function mustBeUnused({ database, dataDir, seeded }: ImportOptions): Promise<void> {
  for (const folder of importedFolders(dataDir)) {
    const names = (await listNames(folder)).filter((name) => name !== 'incoming')
    if (names.length > 0) throw inUse(`the folder ${folder} is not empty`)
  }
  await database.db.transaction().execute((trx) => mustBeEmpty(trx, seeded))
}

async function mustBeEmpty(trx: Db, seeded: readonly string[]): Promise<void> {
  const { rows } = await sql<{ name: string }>`select table_name as name from information_schema.tables
    where table_schema = current_schema() and table_type = 'BASE TABLE' and table_name like 'tab\\_%'
      and table_name::text <> all(${seeded}::text[]) order by table_name = 'tab_user' desc, table_name`.execute(trx)
  for (const { name } of rows) {
    const found = await sql`select 1 from ${sql.id(name)} limit 1`.execute(trx)
    if (found.rows.length > 0) throw inUse(name === 'tab_user' ? 'it has accounts' : 'its database has documents')
  }
}

const inUse = (why: string) =>
  new StartupError(
    `This installation is in use: ${why}. An import needs an empty one.`,
    'Set EASYDASH_DATA_DIR to a new folder (and DATABASE_URL to an empty database), and put the key file into that folder.',
  )

/**
 * Locks the tables, checks again that they are unused, and deletes what a start put into them.
 */
async function takeTables(trx: Db, { tables }: Manifest, seeded: readonly string[]): Promise<void> {
  if (tables.length === 0) throw invalidArchive('no tables')
  const known = await sql<{ name: string; columns: string[] }>`select table_name as name,
      array_agg(column_name::text) as columns from information_schema.columns
    where table_schema = current_schema() group by table_name`.execute(trx)
  const columnsOf = new Map(known.rows.map(({ name, columns }) => [name, columns]))
  for (const { name, columns } of tables) {
    const have = isExported(name) ? columnsOf.get(name) : undefined
    const unknown = have ? columns.find((column) => !have.includes(column)) : ''
    if (unknown !== undefined)
      throw invalidArchive(`a table that this release does not have: ${name} ${unknown}`.trim())
  }
  await sql`set local lock_timeout = '5s'`.execute(trx)
  const names = tables.map(({ name }) => name)
  await sql`lock table ${sql.join(names.map((name) => sql.id(name)))} in exclusive mode`
    .execute(trx)
    .catch((error: unknown) => {
      // lock_not_available
      if (systemErrorCode(error) !== '55P03') throw error
      throw new StartupError(
        'The database is used by another process.',
        'Stop every "serve" and "worker" of this database, then import again.',
        error,
      )
    })
  await mustBeEmpty(trx, seeded)
  for (const name of names.toReversed())
    if (name !== 'tab_activity') await sql`delete from ${sql.id(name)}`.execute(trx)
}

/** Writes the archive's rows and files, then adjusts what is different in this installation. */
async function writeContents(
  options: ImportOptions,
  trx: Db,
  client: pg.ClientBase,
  archive: ArchiveDetails,
): Promise<void> {
  const { ring, source, dataDir, here, signal } = options
  const { manifest } = archive
  const shapes = new Set((await exportedTables(client)).map(({ name }) => name))
  const tables = manifest.tables.filter(({ name }) => shapes.has(name))
  const rows: RowsIn = rowsIn(client, tables)
  const files = incomingFiles(dataDir)
  const { end } = await readMembers(
    source,
    ring,
    {
      manifest: (again) => {
        // The archive was replaced since it was checked.
        if (again.made !== manifest.made) throw damagedArchive()
        return Promise.resolve()
      },
      content: async (member, header) => {
        if (member.kind === 'rows') return { write: (chunk) => rows.write(member.table, chunk), end: () => undefined }
        await rows.end()
        return files.sinkFor(member, header)
      },
    },
    signal,
  ).catch(async (error: unknown) => {
    // A COPY that is waiting for rows would prevent the rollback.
    await rows.abandon()
    throw error
  })
  const written = await rows.end()
  for (const { name } of manifest.tables) if ((written[name] ?? 0) !== end.rows[name]) throw damagedArchive()
  await endJobs(trx)
  await markExcludedSites(trx, manifest.without)
  for (const table of ['tab_server', 'tab_site'])
    await sql`update ${sql.id(table)} set engine_host = ${engineHostOf('local', here.machine)}
      where engine_host = ${engineHostOf('local', manifest.machine)}`.execute(trx)
  await verifyKeyring(trx, ring)
}

/**
 * Jobs that were running in the exporting installation don't continue here: they are marked as failed and can be retried.
 */
async function endJobs(trx: Db): Promise<void> {
  const failure = {
    ...serializeMessage('error_message', msg`The job was under way when the installation was exported.`),
    ...serializeMessage('next_action', msg`Retry it here if it is still wanted.`),
  }
  await sql`update tab_job set status = 'Failed', error_code = 'interrupted', ended = now() at time zone 'utc',
      error_message = ${failure.error_message}, error_message_i18n = ${JSON.stringify(failure.error_message_i18n)},
      next_action = ${failure.next_action}, next_action_i18n = ${JSON.stringify(failure.next_action_i18n)},
      steps = (select jsonb_agg(case when step->>'status' = 'Running'
        then step || '{"status": "Failed"}' else step end) from jsonb_array_elements(steps) step),
      waits_for = null, waits_for_label = null, waits_for_title = null
    where status = any(${[...unfinishedJobStatuses]})`.execute(trx)
  await releaseLocks(trx)
  // Archives of backups in the folder are not in the export: whether they are here nobody has seen.
  await sql`update tab_site_backup set proof = 'Not Tested' where coalesce(store, 'local') = 'local'`.execute(trx)
  await sql`update tab_site site set backup_proof = 'Not Tested' from tab_site_backup backup
    where backup.site = site.name and backup.taken_at = site.backup_at and backup.proof = 'Not Tested'`.execute(trx)
  // Nor do actions on many sites go on by themselves.
  await sql`update tab_bulk_run set status = 'Paused' where status = 'Running'`.execute(trx)
}

/**
 * What was held by jobs that ended so. Sites on this machine are released, and their states told, when it looks at them; those at WP
 * Cloud say that their work was interrupted.
 */
async function releaseLocks(trx: Db): Promise<void> {
  const { failure_reason: reason, failure_reason_i18n: descriptor } = serializeMessage(
    'failure_reason',
    msg`The work on this site was interrupted. Retry its last job, or delete the site.`,
  )
  const working: readonly WpcSite['status'][] = ['Setting Up', 'Restoring', 'Deleting']
  await sql`update tab_wpc_site set status = 'Failed', failure_reason = ${reason},
      failure_reason_i18n = ${JSON.stringify(descriptor)}, failure_since = now() at time zone 'utc'
    where status = any(${[...working]})`.execute(trx)
  for (const table of ['tab_server', 'tab_wpc_site'])
    await sql`update ${sql.id(table)} set locked_by_job = null where locked_by_job is not null`.execute(trx)
}
