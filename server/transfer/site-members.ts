import { isUtf8 } from 'node:buffer'
import type { Stats } from 'node:fs'
import { lstat, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { parseSiteRecord } from '#server/engines/local/sites/site-record.ts'
import type { SiteRecord } from '#server/engines/local/sites/site-record.ts'
import { StartupError, systemErrorCode } from '#server/platform/processes/startup-error.ts'
import { openFolder } from '#server/platform/trees/folder.ts'
import { walkTree, type WalkEntry } from '#server/platform/trees/walk.ts'
import { engineHostOf } from '#shared/rules/engines.ts'
import { siteFolders } from './format.ts'
import { findExcludedSites } from './excluded-sites.ts'
import { openFileSnapshot, type FileSnapshot } from './file-snapshot.ts'

/** A local site as recorded in a database snapshot. */
export interface KnownSite {
  readonly name: string
  readonly domain: string
  readonly status: string
}

/** Site states in which the folder is being removed or replaced and can't be read. */
const moving: readonly string[] = ['Archiving', 'Restoring']

const listed = (sites: readonly { domain: string }[]) =>
  `${sites
    .slice(0, 5)
    .map(({ domain }) => domain)
    .join(', ')}${sites.length > 5 ? ' …' : ''}`

/** The local sites of a snapshot. */
export interface SitesToExport {
  readonly sites: readonly KnownSite[]
  /** Sites whose files are excluded. */
  readonly without: readonly KnownSite[]
}

/**
 * The local sites of this machine in a snapshot, without the files of the sites listed in `without`. Throws `StartupError`
 * if the export would be incomplete: sites on other machines or with a database outside their files, and sites that are being
 * archived, restored or deleted.
 */
export async function sitesToExport(
  snapshot: pg.ClientBase,
  machine: string,
  without: readonly string[],
): Promise<SitesToExport> {
  const { rows } = await snapshot.query<KnownSite & { engine_host: string; leaving: boolean; database: string | null }>(
    `select s.name, s.domain, s.status, s.engine_host, s.database,
            exists (select 1 from tab_job j where j.name = s.locked_by_job and j.job_type = 'site.delete') as leaving
       from tab_site s where s.engine = 'local' order by s.name`,
  )
  const elsewhere = rows.filter((site) => site.engine_host !== engineHostOf('local', machine))
  if (elsewhere.length > 0)
    throw new StartupError(
      `Local sites are on other machines: ${listed(elsewhere)}. An export holds the sites of the machine it runs on.`,
      'Delete these sites, or make a backup by hand as docs/operating.md says.',
    )
  const excluded = findExcludedSites(rows, without)
  const busy = rows.filter((site) => !excluded.has(site) && (site.leaving || moving.includes(site.status)))
  if (busy.length > 0)
    throw new StartupError(
      `Sites are being archived, restored or deleted: ${listed(busy)}.`,
      'Wait until their jobs have ended, or cancel them, then run the export again. "--without SITE" leaves files out.',
    )
  const outside = rows.filter((site) => !excluded.has(site) && site.database === 'mysql')
  if (outside.length > 0)
    throw new StartupError(
      `Sites have their database on MySQL, which an export does not include: ${listed(outside)}.`,
      'Move them to SQLite in their configurations, then run the export again. "--without SITE" leaves files out.',
    )
  const known = ({ name, domain, status }: KnownSite) => ({ name, domain, status })
  return {
    sites: rows.filter((site) => !excluded.has(site)).map(known),
    without: [...excluded].map(known),
  }
}

/** An entry of a site's folder: an empty folder or a file. */
export interface SiteEntry {
  /** Relative to the site's folder. */
  readonly path: string
  readonly mode: number
  /** Seconds since 1970. */
  readonly mtime: number
  /** Null for a folder. */
  readonly file: FileSnapshot | null
}

/** The site's record; null if this machine has no such site. Throws if the path is something other than a folder. */
export async function siteRecord(folder: string, id: string): Promise<SiteRecord | null> {
  const stats = await orNullIfMissing(lstat(folder))
  if (stats === null) return null
  if (!stats.isDirectory()) throw misplaced(folder)
  try {
    return parseSiteRecord(await readFile(join(folder, 'site.json'), 'utf8'), id)
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return null
    throw error
  }
}

const misplaced = (path: string) =>
  new StartupError(
    `${path} is missing, or not what stands there in a site.`,
    'Put it back where it was: links in the data folder are not followed.',
  )

/**
 * Throws if the site's essential files are missing; otherwise an archive would look complete and contain an empty site. Only
 * the site itself knows whether all other files are there.
 */
export async function assertHasFiles(folder: string, { state }: SiteRecord): Promise<void> {
  if (state !== 'ready' && state !== 'archived') return
  const path = join(folder, state === 'ready' ? 'www' : 'archive.tar.zst')
  const stats = await orNullIfMissing(lstat(path))
  if (!(state === 'ready' ? stats?.isDirectory() : stats?.isFile())) throw misplaced(path)
}

/**
 * Lists a site's folder except its record: folders before their contents, links skipped. Files that come and go while
 * reading may or may not be included. The consumer closes each piece.
 */
export async function* siteEntries(
  folder: string,
  owner: number | null,
  options: { spool: string; signal: AbortSignal },
): AsyncGenerator<SiteEntry> {
  const reading = { ...options, owner }
  const packed = await openFileSnapshot(join(folder, 'archive.tar.zst'), { ...reading, owner: null })
  if (packed !== null) yield { path: 'archive.tar.zst', mode: packed.mode, mtime: packed.mtime, file: packed }
  for (const top of siteFolders) {
    const root = await orNullIfMissing(Promise.try(() => openFolder(join(folder, top))))
    if (root === null) continue
    try {
      yield folderEntry(top, root.stats())
      for (const entry of walkTree(root, Buffer.from(top))) {
        const path = nameOf(folder, entry)
        const stats = entry.kind === 'folder' ? entry.folder.statsOf(entry.name) : null
        if (stats !== null) yield folderEntry(path, stats)
        const file = entry.kind === 'file' ? await orNullIfMissing(openFileSnapshot(join(folder, path), reading)) : null
        if (file !== null) yield { path, mode: file.mode, mtime: file.mtime, file }
      }
    } finally {
      root.close()
    }
  }
}

const folderEntry = (path: string, { mode, mtimeMs }: Stats): SiteEntry => ({
  path,
  mode: mode & 0o777,
  mtime: mtimeMs / 1000,
  file: null,
})

/** Throws for names an archive can't represent and for unreadable folders. */
function nameOf(folder: string, { path, skipped, kind }: WalkEntry): string {
  const name = path.toString('utf8')
  if (kind !== 'other' && !isUtf8(path))
    throw new StartupError(`${join(folder, name)} is a name that is no text.`, 'Rename or remove that file.')
  if (skipped !== null)
    throw new StartupError(
      `${join(folder, name)} cannot be read: it is closed, or nested too deep.`,
      'Open or remove that folder, or delete the site, then run the export again.',
    )
  return name
}

/** Whether the site is unchanged since reading of its folder started: nothing was archived or removed meanwhile. */
export function isSameSite(before: SiteRecord, after: SiteRecord | null): boolean {
  const accessContext = ['creating', 'ready']
  if (after === null) return false
  return before.state === after.state || (accessContext.includes(before.state) && accessContext.includes(after.state))
}

async function orNullIfMissing<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work
  } catch (error) {
    const code = systemErrorCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    if (code !== 'ENAMETOOLONG') throw error
    throw new StartupError(
      'A site has folders nested deeper than this machine can name.',
      'Remove these folders, or delete the site, then run the export again.',
      error,
    )
  }
}
