import { existsSync } from 'node:fs'
import { mkdir, readFile, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import pg from 'pg'
import type { Database } from '#server/platform/database/database.ts'
import type { Keyring } from '#server/platform/secrets/keyring.ts'
import { takeLock } from '#server/platform/processes/lock-file.ts'
import { StartupError } from '#server/platform/processes/startup-error.ts'
import { packTar, type TarMember } from '#server/platform/files/tar.ts'
import { removeTree } from '#server/platform/trees/remove-tree.ts'
import { writeArchive } from './archive-file.ts'
import { archiveFormat, type End, type ExcludedSite, type Manifest } from './format.ts'
import { pinnedFiles, pinFiles, openSpool } from './pinned-files.ts'
import { unreadableSiteError } from './excluded-sites.ts'
import { exportedTables, copyRows } from './rows.ts'
import {
  isSameSite,
  assertHasFiles,
  siteEntries,
  siteRecord,
  sitesToExport,
  type KnownSite,
  type SitesToExport,
} from './site-members.ts'

/** Size of one piece of a table in bytes. */
const pieceBytes = 4 * 1024 * 1024
/** How often the snapshot is retaken because an upload it references was just deleted. */
const maxSnapshots = 5

/** Options of an export. */
export interface ExportOptions {
  readonly database: Database
  readonly dataDir: string
  readonly ring: Keyring
  /** Absolute path of the archive; it must not exist yet. */
  readonly target: string
  /** Local sites whose files are excluded, by domain or name. */
  readonly without: readonly string[]
  /** Details of this installation; `made`, the tables and the excluded sites are added. */
  readonly about: Pick<Manifest, 'version' | 'schema' | 'machine' | 'settings'>
  readonly print: (line: string) => void
  readonly signal: AbortSignal
}

/** Result of an export. */
export interface ExportReport {
  /** Size of the archive in bytes. */
  readonly bytes: number
  readonly rows: number
  readonly files: number
  readonly sites: number
  /** Sites without their files. */
  readonly without: readonly ExcludedSite[]
}

interface Snapshot extends SitesToExport {
  readonly client: pg.Client
  /** Uploads whose content is missing on disk. */
  readonly lost: readonly string[]
}

/**
 * Writes the installation into one archive while it runs: the rows at one point in time, the uploads they reference, and
 * local sites, whose databases are read between two transactions. Throws `StartupError` if the archive can't be complete,
 * and leaves nothing behind then.
 */
export async function exportInstance(options: ExportOptions): Promise<ExportReport> {
  const { target, print } = options
  // The operator may use links on the path to the data folder; below it no link is followed.
  const dataDir = await realpath(options.dataDir)
  if (existsSync(target))
    throw new StartupError(`${target} exists already.`, 'Name a new file; an export never replaces one.')
  if (['files', 'local'].some((name) => target.startsWith(join(dataDir, name) + sep)))
    throw new StartupError(`${target} is in a folder that is exported.`, 'Name a file somewhere else.')
  await mkdir(dataDir, { recursive: true })
  const lock = await takeLock(join(dataDir, 'export.lock'))
  if (!lock.held)
    throw new StartupError(`Another export (process ${lock.holder}) is running.`, 'Wait until it has ended.')
  let spool: string | null = null
  let snapshot: Snapshot | null = null
  try {
    spool = await openSpool(dataDir)
    snapshot = await takeSnapshot(options, dataDir, spool)
    if (snapshot.lost.length > 0)
      print(
        `The contents of ${snapshot.lost.length} uploads are not on this machine; their entries are exported alone.`,
      )
    const report = { bytes: 0, rows: 0, files: 0, sites: 0, without: snapshot.without }
    const tar = packTar(membersOf({ ...options, dataDir }, snapshot, spool, report))
    report.bytes = await writeArchive(target, options.ring, tar, options.signal)
    return report
  } finally {
    await snapshot?.client.end()
    if (spool !== null) await removeTree(spool)
    await lock.release()
  }
}

/** A snapshot of the database plus the files on disk it references: held, or known to stay. */
async function takeSnapshot(options: ExportOptions, dataDir: string, spool: string): Promise<Snapshot> {
  for (let tries = 1; ; tries += 1) {
    const client = new pg.Client(options.database.connectionConfig)
    // The next query reports the lost connection; after the rows are read it does not matter.
    client.on('error', () => undefined)
    await client.connect()
    try {
      // The connection is idle while sites are read.
      await client.query('set idle_in_transaction_session_timeout = 0')
      await client.query('begin isolation level repeatable read, read only')
      const sites = await sitesToExport(client, options.about.machine, options.without)
      const missing = await pinFiles(client, dataDir, spool)
      const deleted = missing.length - (await countExisting(options.database, missing))
      if (deleted === 0 || tries === maxSnapshots) return { client, ...sites, lost: missing }
      await client.end()
    } catch (error) {
      await client.end()
      throw error
    }
  }
}

async function countExisting(database: Database, names: readonly string[]): Promise<number> {
  if (names.length === 0) return 0
  const { rows } = await database.pool.query<{ n: number }>(
    'select count(*) as n from tab_file where stored_name = any($1)',
    [names],
  )
  return rows[0]?.n ?? 0
}

/** The archive's members in order. Adds to the counts in `report`. */
async function* membersOf(
  options: ExportOptions,
  { client, sites, without }: Snapshot,
  spool: string,
  report: { rows: number; files: number; sites: number },
): AsyncGenerator<TarMember> {
  const { about, dataDir, print, signal } = options
  const now = Date.now() / 1000
  const tables = await exportedTables(client)
  const manifest: Manifest = {
    format: archiveFormat,
    made: new Date().toISOString(),
    ...about,
    tables,
    without: without.map(({ name, domain }) => ({ name, domain })),
  }
  const rows: Record<string, number> = {}
  let members = 0
  const member = (
    name: string,
    attributes: { size: number; mode?: number; mtime?: number },
    content: TarMember['content'] | null,
  ): TarMember => {
    members += 1
    const { size, mode = 0o600, mtime = now } = attributes
    return {
      header: { name, type: content === null ? 'directory' : 'file', size, mode, mtime },
      content: content ?? [],
    }
  }
  const whole = (name: string, content: Buffer) => member(name, { size: content.length }, [content])

  yield whole('manifest.json', Buffer.from(JSON.stringify(manifest)))
  for (const table of tables) {
    const pieces = copyRows(client, table, pieceBytes)
    let piece = await pieces.next()
    for (let n = 1; piece.done !== true; n += 1) {
      yield whole(`database/${table.name}/${n}.copy`, piece.value)
      piece = await pieces.next()
    }
    rows[table.name] = piece.value
    report.rows += piece.value
  }
  print(`${report.rows} rows of ${tables.length} tables`)
  for (const name of await pinnedFiles(spool)) {
    // Uploads are small: `maxFileSize` of shared/doctypes/file.ts.
    yield whole(`files/${name.slice(0, 2)}/${name}`, await readFile(join(spool, 'files', name)))
    report.files += 1
  }
  print(`${report.files} uploads`)
  for (const site of sites) {
    const folder = join(dataDir, 'local', 'sites', site.name)
    const reading = <T>(work: Promise<T>) => forSite(site, signal, work)
    const record = await reading(siteRecord(folder, site.name))
    if (record === null) {
      if (!(await isStillThere(options.database, site))) throw changed(site)
      print(`The site ${site.domain} has no folder on this machine; its entry is exported alone.`)
      continue
    }
    await reading(assertHasFiles(folder, record))
    yield whole(`sites/${site.name}/site.json`, Buffer.from(JSON.stringify(record)))
    const owner = process.getuid?.() === 0 ? record.uid : null
    for await (const { path, file, ...attributes } of each(siteEntries(folder, owner, { spool, signal }), reading)) {
      try {
        const name = `sites/${site.name}/${path}`
        if (file === null) {
          yield member(`${name}/`, { ...attributes, size: 0 }, null)
          continue
        }
        yield member(name, { ...attributes, size: file.size }, each(file.chunks(), reading))
      } finally {
        await file?.close()
      }
    }
    if (!isSameSite(record, await reading(siteRecord(folder, site.name)))) throw changed(site)
    report.sites += 1
    print(`Site ${site.domain}`)
  }
  const end: End = { members, rows }
  yield whole('end.json', Buffer.from(JSON.stringify(end)))
}

/** Names the site in an error; an interruption is passed through unchanged. */
async function forSite<T>(site: KnownSite, signal: AbortSignal, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw signal.aborted ? error : unreadableSiteError(site, error)
  }
}

/**
 * Passes a source on, with each step wrapped in `reading`, so that errors of the consumer are not attributed to the source.
 */
async function* each<T>(
  source: AsyncIterable<T>,
  reading: <R>(work: Promise<R>) => Promise<R>,
): AsyncGenerator<T, void, undefined> {
  const steps = source[Symbol.asyncIterator]()
  try {
    for (;;) {
      const step = await reading(steps.next())
      if (step.done === true) return
      yield step.value
    }
  } finally {
    await steps.return?.()
  }
}

async function isStillThere(database: Database, { name }: KnownSite): Promise<boolean> {
  const { rowCount } = await database.pool.query('select 1 from tab_site where name = $1', [name])
  return rowCount === 1
}

const changed = ({ domain }: KnownSite) =>
  new StartupError(
    `The site ${domain} was archived, restored or deleted while it was exported.`,
    'Run the export again.',
  )
