import { randomBytes } from 'node:crypto'
import { lstat, mkdir, readdir, realpath, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { replaceFile } from '#server/platform/files/replace-file.ts'
import { systemErrorCode } from '#server/platform/processes/startup-error.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'
import type { SiteRef } from '../../site-ref.ts'
import type { LocalEngineLog } from '../options.ts'
import { assertSiteRef, readSiteRecords, sitesRoot, type SiteRecord } from './site-record.ts'
import { formerNames, namesOf } from '../domains/record-domains.ts'
import { stagingName } from '../trees/staging.ts'

/** Paths of a site. */
export interface SitePaths {
  folder: string
  www: string
  logs: string
  outbox: string
  /** What PHP keeps outside of the site's files: sessions, temporary files, parts of uploads. */
  temporary: string
  /** Requests of visitors; only we can enter it. */
  access: string
  tokens: string
  /** Deleted files that can be restored. PHP can't reach it. */
  trash: string
  archive: string
  /** Where its files are assembled before they are moved into place; only we can enter it. */
  staging: string
  /** What a staging site and its source were like when it was made; only we can enter it. */
  baseline: string
  /** The files it served before a push that is going on. */
  before: string
  /** The files it served before the last push. */
  rollback: string
  /** What it was like right after the last push; only we can enter it. */
  pushed: string
  /** The same of a push that is not finished. */
  pushedNew: string
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
  /** The site that has this name: its primary domain, an alias, or one it is being moved from or to. */
  byDomain(domain: string): SiteRecord | undefined
  /** Whether a domain belongs to a site, or once did. */
  knows(domain: string): boolean
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
  for (const record of records.values()) takeNames(domains, record)
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
  const former = new Set<string>([...records.values()].flatMap((record) => record.former ?? []))
  const write = async (given: SiteRecord): Promise<void> => {
    const record = withFormer(records.get(given.id), given)
    for (const name of record.former ?? []) former.add(name)
    await mkdir(folder(record.id), { recursive: true, mode: 0o700 })
    await writeJson(join(folder(record.id), 'site.json'), record)
    const before = records.get(record.id)
    if (before) freeNames(domains, before)
    records.set(record.id, record)
    domains.set(record.domain, record.id)
    takeNames(domains, record)
  }
  const removeSite = async (id: string): Promise<void> => {
    const record = records.get(id)
    records.delete(id)
    if (record) {
      freeNames(domains, record)
      for (const name of namesOf(record)) if (name.includes('.')) former.add(name)
    }
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
    knows: (domain) => domains.has(domain) || former.has(domain),
    paths: (id) => pathsIn(folder(id)),
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

function pathsIn(folder: string): SitePaths {
  return {
    folder,
    www: join(folder, 'www'),
    logs: join(folder, 'logs'),
    outbox: join(folder, 'outbox'),
    temporary: join(folder, 'temporary'),
    access: join(folder, 'access'),
    tokens: join(folder, 'tokens'),
    trash: join(folder, 'trash'),
    archive: join(folder, 'archive.tar.zst'),
    staging: join(folder, stagingName),
    baseline: join(folder, 'baseline'),
    before: join(folder, 'before'),
    rollback: join(folder, 'rollback'),
    pushed: join(folder, 'pushed'),
    pushedNew: join(folder, 'pushed.new'),
  }
}

/** The record with the names it had before. */
function withFormer(before: SiteRecord | undefined, { former: _former, ...record }: SiteRecord): SiteRecord {
  const former = before === undefined ? [] : formerNames(before, record)
  return former.length === 0 ? record : { ...record, former }
}

/** Adds the names of a site that no other site has. */
function takeNames(domains: Map<string, string>, record: SiteRecord): void {
  for (const name of namesOf(record)) if (!domains.has(name)) domains.set(name, record.id)
}

function freeNames(domains: Map<string, string>, record: SiteRecord): void {
  for (const name of namesOf(record)) if (domains.get(name) === record.id) domains.delete(name)
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

/** Replaces a JSON file (`replaceFile`). */
export const writeJson = (path: string, value: unknown): Promise<void> => replaceFile(path, JSON.stringify(value))
