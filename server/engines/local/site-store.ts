import { randomBytes } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { EngineError, type SiteRef, type SiteType } from '../engine.ts'
import type { LocalEngineLog } from './options.ts'
import { removeTree } from './remove-tree.ts'

/** What the engine remembers of a site, in `site.json` of its folder. */
export interface SiteRecord {
  id: string
  /** First label of the host name. */
  domain: string
  siteType: SiteType
  phpVersion: string
  /** `creating` until the last create step passed; `archived`: only the archive is left. */
  state: 'creating' | 'ready' | 'archiving' | 'archived' | 'restoring'
  /** The files are complete. */
  copied: boolean
  /** The installer ran to its end. */
  installed: boolean
  /** User and group its process runs as; null where the engine itself has no root rights. */
  uid: number | null
  wordpressVersion: string | null
  /** Milliseconds since 1970; null: no scheduled event. */
  nextCronAt: number | null
  createdAt: number
}

/** Where everything of a site lies. */
export interface SitePaths {
  folder: string
  www: string
  logs: string
  outbox: string
  tokens: string
  archive: string
}

/** The sites of this engine, on disk and in memory. */
export interface SiteStore {
  root: string
  all(): SiteRecord[]
  get(id: string): SiteRecord | undefined
  byDomain(domain: string): SiteRecord | undefined
  paths(id: string): SitePaths
  /** Writes the record (complete or not at all) and makes it known. */
  save(record: SiteRecord): Promise<void>
  /** Removes the whole folder of the site. */
  remove(id: string): Promise<void>
  /** A user id no other site has. */
  freeUid(): number
}

/** Sites get user ids from here: below the ranges of containers and systemd, above those of people and services. */
export const firstUid = 54_000
const gonePrefix = '.gone-'

/** Throws unless id and domain are safe as folder and host name. */
export function assertSiteRef(site: Pick<SiteRef, 'id' | 'domain'>): void {
  if (!/^[a-z0-9]{10}$/.test(site.id))
    throw new EngineError('invalid', 'The site has no valid id.', { nextAction: 'Report this as a defect.' })
  if (!/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(site.domain)) {
    throw new EngineError(
      'invalid',
      'The name of a local site has 1 to 63 lower-case letters, digits and inner dashes.',
      { nextAction: 'Choose another name.' },
    )
  }
}

/** Opens the store and reads every record. A damaged record is told and its folder left alone: `destroy` removes it. */
export async function openSiteStore(dataDir: string, log: LocalEngineLog): Promise<SiteStore> {
  const root = join(dataDir, 'local', 'sites')
  await mkdir(root, { recursive: true })
  const records = new Map<string, SiteRecord>()
  const domains = new Map<string, string>()
  for (const id of await readdir(root)) {
    // A removal that was cut off.
    if (id.startsWith(gonePrefix)) await removeTree(join(root, id))
    await removeCutOffWrites(join(root, id))
    const record = await readRecord(join(root, id, 'site.json'), log)
    if (record === null) continue
    if (record.id !== id) {
      log.error('A site is left out: the record in its folder is of another site', { folder: id, record: record.id })
      continue
    }
    records.set(id, record)
    domains.set(record.domain, id)
  }
  const folder = (id: string): string => join(root, id)
  return {
    root,
    all: () => [...records.values()],
    get: (id) => records.get(id),
    byDomain: (domain) => records.get(domains.get(domain) ?? ''),
    paths: (id) => ({
      folder: folder(id),
      www: join(folder(id), 'www'),
      logs: join(folder(id), 'logs'),
      outbox: join(folder(id), 'outbox'),
      tokens: join(folder(id), 'tokens'),
      archive: join(folder(id), 'archive.tar.zst'),
    }),
    save: async (record) => {
      await mkdir(folder(record.id), { recursive: true, mode: 0o711 })
      await writeJson(join(folder(record.id), 'site.json'), record)
      records.set(record.id, record)
      domains.set(record.domain, record.id)
    },
    remove: async (id) => {
      const domain = records.get(id)?.domain
      records.delete(id)
      if (domain !== undefined && domains.get(domain) === id) domains.delete(domain)
      // First out of sight in one step, so that a crash leaves no half of a site.
      const gone = join(root, `${gonePrefix}${id}-${randomBytes(4).toString('hex')}`)
      try {
        await rename(folder(id), gone)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
        throw error
      }
      await removeTree(gone)
    },
    freeUid: () => {
      const taken = new Set([...records.values()].map((record) => record.uid))
      let uid = firstUid
      while (taken.has(uid)) uid += 1
      return uid
    },
  }
}

/** What a write of a record leaves that was cut off before its end. */
async function removeCutOffWrites(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return []
    throw error
  })
  for (const name of names) if (/^site\.json\.\w+\.tmp$/.test(name)) await rm(join(folder, name), { force: true })
}

async function readRecord(path: string, log: LocalEngineLog): Promise<SiteRecord | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as SiteRecord
  } catch (error) {
    // Not a site's folder, or one whose creation was cut off before its first record.
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    if (!(error instanceof SyntaxError)) throw error
    log.error('A site is left out: its record cannot be read. Put the file back from a backup and start again', {
      path,
    })
    return null
  }
}

/** Replaces a JSON file in one step; after a crash the old or the new content is there. */
export async function writeJson(path: string, value: unknown): Promise<void> {
  const temporary = `${path}.${randomBytes(4).toString('hex')}.tmp`
  const file = await open(temporary, 'w', 0o600)
  try {
    await file.writeFile(JSON.stringify(value))
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(temporary, path)
}
