import { isOneOf } from '#shared/is-one-of.ts'
import { isObject } from '#shared/parse-json.ts'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { listNames } from '#server/platform/files/list-folder.ts'
import { systemErrorCode } from '#server/platform/processes/startup-error.ts'
import type { SiteQuota } from '#shared/rules/site-quotas.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'
import type { SiteRef, SiteKind } from '../../site-ref.ts'
import type { EngineAlias } from '../../site-domains.ts'
import { isSiteDomain, isSlug } from '../domains/host-names.ts'
import { parseDomains, type DomainMove } from '../domains/record-domains.ts'
import { parseNetwork, type RecordNetwork } from '../network/record-network.ts'
import { parsePush, type RecordPush } from '../staging/record-push.ts'
import { parseDatabaseMove, type DatabaseMove } from '../mysql/record-move.ts'
import { parseSqlUndo, type SqlUndo } from '../mysql/record-sql-undo.ts'
import { parseDeletion, type Deletion } from '../wordpress/record-deletion.ts'
import { parseCoreChange, type CoreChange } from '../wordpress-core/record-core.ts'
import { parseRecordSettings, type RecordSettings } from '../settings/record-settings.ts'

/** Persistent state of a site, in `site.json` in its folder. */
export interface SiteRecord extends RecordPush, RecordNetwork {
  id: string
  /** First label of a host name below the sites' domain, or a full domain. */
  domain: string
  siteType: SiteKind
  phpVersion: string
  /** `creating` until the last create step completed; `archived`: only the archive exists. */
  state: 'creating' | 'ready' | 'archiving' | 'archived' | 'restoring'
  /** All files have been copied. */
  copied: boolean
  /** The installer completed. */
  installed: boolean
  /** User and group its process runs as; null if the engine has no root privileges. */
  uid: number | null
  wordpressVersion: string | null
  /** Milliseconds since 1970; null: no scheduled event. */
  nextCronAt: number | null
  createdAt: number
  /** Unpacked size of its archive; absent without an archive. */
  packed?: { bytes: number; entries: number }
  /** It wrote more than its quota allows and must not run. */
  suspended?: boolean
  /** Its owners stopped it: it must not run until they start it again. */
  stopped?: boolean
  /** Settings that were changed. */
  settings?: RecordSettings
  /** Its further names. */
  aliases?: EngineAlias[]
  /** Full domains that it had once: their visitors get no other page than "not found". */
  former?: string[]
  /** A change of the primary domain that is neither finished nor taken back: visitors are kept out. */
  move?: DomainMove
  /** Scheme, host and port that its database had: they are being replaced by those of now. */
  following?: string
  /** A change of the version of WordPress that goes on. */
  core?: CoreChange
  /** A deletion of a plugin or theme that goes on. */
  deletion?: Deletion
  /** It is made of a backup, to see what that is worth: nobody visits it, and it reaches nothing. */
  rehearsal?: true
  /** A rehearsal that visitors may look at until then, in milliseconds since 1970; it is removed afterward. */
  openUntil?: number
  /** What it may grow to meanwhile. */
  openQuota?: Pick<SiteQuota, 'disk_mb' | 'files'>
  /** Where its database is, if it is not SQLite. */
  database?: 'mysql'
  /** A move to another kind of database that is neither finished nor taken back: visitors are kept out. */
  databaseMove?: DatabaseMove
  /** What a statement of the SQL console in a MySQL database can be taken back to. */
  sqlUndo?: SqlUndo
}

/** Throws unless id and domain are safe as folder and host name. */
export function assertSiteRef(site: Pick<SiteRef, 'id' | 'domain'>): void {
  if (!/^[a-z0-9]{10}$/.test(site.id))
    throw new EngineError('invalid', msg`The site has no valid id.`, { nextAction: msg`Report this as a defect.` })
  if (!isSiteDomain(site.domain)) throw notANewName()
}

/** The same for a site that is made: full domains come later. */
export function assertNewSiteRef(site: Pick<SiteRef, 'id' | 'domain'>): void {
  assertSiteRef(site)
  if (!isSlug(site.domain)) throw notANewName()
}

function notANewName(): EngineError {
  return new EngineError(
    'invalid',
    msg`The name of a local site has 1 to 63 lower-case letters, digits and inner dashes.`,
    { nextAction: msg`Choose another name.` },
  )
}

/** Throws if the site's files are being packed or are packed: nothing that could change them may run. */
export function assertNotArchived(record: SiteRecord | undefined): void {
  if (record?.state === 'archiving' || record?.state === 'archived') throw siteIsArchived()
}

/** Throws if the site's owners stopped it. */
export function assertNotStopped(record: SiteRecord | undefined): void {
  if (record?.stopped === true)
    throw new EngineError('conflict', msg`The site is suspended.`, { nextAction: msg`Resume it first.` })
}

/** The error for operations on an archived site. */
export function siteIsArchived(): EngineError {
  return new EngineError('conflict', msg`The site is in the archive.`, {
    nextAction: msg`Restore it or delete it permanently first.`,
  })
}

const siteTypes = ['wp', 'php', 'html'] as const satisfies SiteRecord['siteType'][]
const states = ['creating', 'ready', 'archiving', 'archived', 'restoring'] as const satisfies SiteRecord['state'][]

/** Parses a site's record, keeping only known fields in their expected form. Throws if it is not the record of site `id`. */
export function parseSiteRecord(text: string, id: string): SiteRecord {
  const given: unknown = JSON.parse(text)
  if (!isObject(given)) throw noRecord(id)
  const textOf = (name: string): string | null => {
    const value = given[name]
    return typeof value === 'string' && value.length <= 300 ? value : null
  }
  const numberOf = (name: string): number | null => {
    const value = given[name]
    return typeof value === 'number' ? value : null
  }
  const { siteType, state } = given
  const phpVersion = textOf('phpVersion') ?? ''
  const fits = textOf('id') === id && /^\d\.\d{1,2}$/.test(phpVersion)
  if (!fits || !isOneOf(siteTypes, siteType) || !isOneOf(states, state)) throw noRecord(id)
  const record: SiteRecord = {
    id,
    domain: textOf('domain') ?? '',
    siteType,
    phpVersion,
    state,
    copied: given['copied'] === true,
    installed: given['installed'] === true,
    uid: numberOf('uid'),
    wordpressVersion: textOf('wordpressVersion'),
    nextCronAt: numberOf('nextCronAt'),
    createdAt: numberOf('createdAt') ?? 0,
    ...packedOf(given['packed']),
    ...(given['suspended'] === true ? { suspended: true } : {}),
    ...(given['stopped'] === true ? { stopped: true } : {}),
    ...(given['rehearsal'] === true ? { rehearsal: true as const } : {}),
    ...(given['rehearsal'] === true ? openedOf(given) : {}),
    ...(isObject(given['settings']) ? { settings: parseRecordSettings(given['settings']) } : {}),
    ...parseDomains(given),
    ...parsePush(given),
    ...parseNetwork(given),
    ...parseCoreChange(given['core']),
    ...parseDeletion(given['deletion']),
    ...(given['database'] === 'mysql' ? { database: 'mysql' } : {}),
    ...parseDatabaseMove(given['databaseMove']),
    ...parseSqlUndo(given['sqlUndo']),
  }
  try {
    assertSiteRef(record)
  } catch (error) {
    throw noRecord(id, error)
  }
  return record
}

function packedOf(value: unknown): Pick<SiteRecord, 'packed'> {
  if (!isObject(value)) return {}
  const { bytes, entries } = value
  return isCount(bytes) && isCount(entries) ? { packed: { bytes, entries } } : {}
}

function openedOf({ openUntil, openQuota }: Record<string, unknown>): Pick<SiteRecord, 'openUntil' | 'openQuota'> {
  if (!isCount(openUntil) || !isObject(openQuota)) return {}
  const { disk_mb: diskMb, files } = openQuota
  return isCount(diskMb) && isCount(files) ? { openUntil, openQuota: { disk_mb: diskMb, files } } : {}
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0

const noRecord = (id: string, cause?: unknown) => new Error(`The record of the site ${id} is not one.`, { cause })

/** Parent folder of all sites' folders. */
export const sitesRoot = (dataDir: string): string => join(dataDir, 'local', 'sites')

/** An entry among the sites' folders without a usable record. */
export interface BrokenSite {
  readonly id: string
  readonly folder: string
  /** What is wrong, without a final period. */
  readonly reason: string
}

/** Reads the record of every site; empty if there are no sites yet. Unusable ones are reported, not skipped. */
export async function readSiteRecords(
  root: string,
): Promise<{ readonly records: readonly SiteRecord[]; readonly broken: readonly BrokenSite[] }> {
  const records: SiteRecord[] = []
  const broken: BrokenSite[] = []
  for (const id of await listNames(root)) {
    if (!/^[a-z0-9]{10}$/.test(id)) continue
    const folder = join(root, id)
    try {
      records.push(parseSiteRecord(await readFile(join(folder, 'site.json'), 'utf8'), id))
    } catch (error) {
      const reason = await reasonOf(error, folder)
      if (reason !== null) broken.push({ id, folder, reason })
    }
  }
  return { records, broken }
}

/** Null: a folder whose site's creation was interrupted before its first record. */
async function reasonOf(error: unknown, folder: string): Promise<string | null> {
  const code = systemErrorCode(error)
  if (code === 'ENOENT') {
    const isEmpty = !(await listNames(folder)).some((name) => name === 'www' || name === 'archive.tar.zst')
    return isEmpty ? null : 'it has files and no site.json'
  }
  if (code === 'ENOTDIR') return 'a file stands in the place of its folder'
  return code === '' ? 'its site.json is damaged' : `its site.json cannot be read (${code})`
}
