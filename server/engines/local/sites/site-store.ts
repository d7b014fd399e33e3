import { randomBytes } from 'node:crypto'
import { lstat, mkdir, open, readdir, realpath, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { systemErrorCode } from '#server/platform/processes/startup-error.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError, type SiteRef } from '../../engine.ts'
import type { LocalEngineLog } from '../options.ts'
import { assertSiteRef, readSiteRecords, sitesRoot, type SiteRecord } from './site-record.ts'
import { stagingName } from '../trees/staging.ts'

/** Paths of a site. */
export interface SitePaths {
  folder: string
  www: string
  logs: string
  outbox: string
  tokens: string
  archive: string
  /** Where its files are assembled before they are moved into place; only we can enter it. */
  staging: string
}

/** The sites of this engine, on disk and in memory. */
export interface SiteStore {
  /** Without links in its path. */
  root: string
  /** Owners of folders without a record, by folder name. */
  unknownFolders: ReadonlyMap<string, number>
  /** Folders whose removal was interrupted. */
  leftovers: readonly string[]
  all(): SiteRecord[]
  get(id: string): SiteRecord | undefined
  byDomain(domain: string): SiteRecord | undefined
  paths(id: string): SitePaths
  /** Writes the record atomically and updates the store. */
  save(record: SiteRecord): Promise<void>
  /**
   * Saves the result of `change` on the current record, and resolves with it; null if the site is gone. Use this if the
   * record may be outdated: `save` would restore a removed one.
   */
  change(id: string, change: (now: SiteRecord) => SiteRecord): Promise<SiteRecord | null>
  /** Removes the whole folder of the site; nobody may write into it any more. */
  remove(id: string): Promise<void>
}

/** The site's record. Throws EngineError `invalid` for an invalid id or domain, `not_found` if there is none. */
export function existingRecord(store: SiteStore, site: SiteRef): SiteRecord {
  assertSiteRef(site)
  const record = store.get(site.id)
  if (record === undefined)
    throw new EngineError('not_found', msg`This machine does not have the site.`, {
      nextAction: msg`Refresh the page.`,
    })
  return record
}

const removedPrefix = '.gone-'

/**
 * Opens the store and reads every record. A damaged record is logged and its folder left alone: `destroy` removes it.
 * @param removeTrees removes folders and their contents
 */
export async function openSiteStore(
  dataDir: string,
  log: LocalEngineLog,
  removeTrees: (paths: readonly string[]) => Promise<unknown>,
): Promise<SiteStore> {
  await mkdir(sitesRoot(dataDir), { recursive: true })
  const root = await realpath(sitesRoot(dataDir))
  const records = new Map<string, SiteRecord>()
  const domains = new Map<string, string>()
  const unknownFolders = new Map<string, number>()
  const leftovers = (await readdir(root))
    .filter((name) => name.startsWith(removedPrefix))
    .map((name) => join(root, name))
  const { records: found, broken } = await readSiteRecords(root)
  for (const record of found) {
    await removeCutOffWrites(join(root, record.id))
    records.set(record.id, record)
    domains.set(record.domain, record.id)
  }
  for (const { id, ...about } of broken) {
    log.error('A site is left out. Put its site.json back from a backup and start again', about)
    const owner = await ownerOf(join(root, id, 'www'))
    if (owner !== null) unknownFolders.set(id, owner)
  }
  const folder = (id: string): string => join(root, id)
  const turns = new Map<string, Promise<unknown>>()
  /** Writes of one site are serialized: one that started before a removal must not end after it. */
  const inTurn = <T>(id: string, work: () => Promise<T>): Promise<T> => {
    const turn = (turns.get(id) ?? Promise.resolve()).then(work)
    const ended = turn.then(
      () => undefined,
      () => undefined,
    )
    turns.set(id, ended)
    void ended.then(() => {
      if (turns.get(id) === ended) turns.delete(id)
    })
    return turn
  }
  const write = async (record: SiteRecord): Promise<void> => {
    await mkdir(folder(record.id), { recursive: true, mode: 0o700 })
    await writeJson(join(folder(record.id), 'site.json'), record)
    records.set(record.id, record)
    domains.set(record.domain, record.id)
  }
  const removeSite = async (id: string): Promise<void> => {
    const domain = records.get(id)?.domain
    records.delete(id)
    if (domain !== undefined && domains.get(domain) === id) domains.delete(domain)
    // Renamed first, so that a crash never leaves a partial site.
    const renamed = join(root, `${removedPrefix}${id}-${randomBytes(4).toString('hex')}`)
    try {
      await rename(folder(id), renamed)
    } catch (error) {
      if (systemErrorCode(error) === 'ENOENT') return
      throw error
    }
    await removeTrees([renamed])
    unknownFolders.delete(id)
  }
  return {
    root,
    unknownFolders,
    leftovers,
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
      staging: join(folder(id), stagingName),
    }),
    save: (record) => inTurn(record.id, () => write(record)),
    change: (id, change) =>
      inTurn(id, async () => {
        const now = records.get(id)
        if (now === undefined) return null
        const changed = change(now)
        if (changed !== now) await write(changed)
        return changed
      }),
    remove: (id) => inTurn(id, () => removeSite(id)),
  }
}

/** Owner of a folder; null if it does not exist. */
async function ownerOf(folder: string): Promise<number | null> {
  try {
    return (await lstat(folder)).uid
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemErrorCode(error))) return null
    throw error
  }
}

/** Removes leftovers of an interrupted write of a record. */
async function removeCutOffWrites(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    if (/^site\.json\.\w+\.tmp$/.test(name)) await rm(join(folder, name), { force: true })
}

/** Replaces a JSON file atomically; after a crash it has the old or the new content. */
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
