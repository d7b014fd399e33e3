import { isObject } from '#shared/parse-json.ts'
import { damagedArchive, invalidArchive } from './archive-errors.ts'

/**
 * The archive format: a short plaintext header, then frames (`frames.ts`) around a zstd-compressed tar stream. Its members,
 * in this order: `manifest.json`; `database/TABLE/N.copy`, rows in the format of PostgreSQL's COPY; `files/XX/NAME`,
 * contents of uploads; `sites/ID/…`, local sites; `end.json`, the totals.
 */
export const archiveFormat = 1

/** The first member: what a reader needs to know before the rest. */
export interface Manifest {
  readonly format: typeof archiveFormat
  /** Release that created it. */
  readonly version: string
  /** Creation time, ISO 8601. */
  readonly made: string
  readonly schema: { readonly version: number }
  /** Machine of the local sites, as in `engine_host` after `local:`. */
  readonly machine: string
  readonly tables: readonly TableShape[]
  /** Local sites whose files the operator excluded; their rows are included. */
  readonly without: readonly ExcludedSite[]
  /** Settings of the exporting installation, without secrets. They are displayed, never applied. */
  readonly settings: Readonly<Record<string, string>>
}

/** A site whose rows are in the archive and whose files are not. */
export interface ExcludedSite {
  readonly name: string
  readonly domain: string
}

/** A table whose rows are in the archive. */
export interface TableShape {
  readonly name: string
  readonly columns: readonly string[]
}

/** The last member. */
export interface End {
  /** Number of members before this one. */
  readonly members: number
  /** Rows by table. */
  readonly rows: Readonly<Record<string, number>>
}

/**
 * Tables that are not exported: sessions and pending links, emails (they would be sent twice, and their links grant access
 * to accounts), queues and timers of running processes, and the metadata of the new database. Samples of servers neither
 * (`isExported`): they are in partitions by day, which another installation does not have.
 */
const excludedTables = new Set([
  'easydash_schema',
  'easydash_session',
  'easydash_login_step',
  'easydash_provider_attempt',
  'easydash_token',
  'easydash_rate_limit',
  'easydash_mail',
  'easydash_job_event',
  'easydash_job_run',
  'easydash_schedule',
  'easydash_socket_attachment',
])

/** Whether a table is part of an export. */
export function isExported(table: string): boolean {
  if (excludedTables.has(table) || table.startsWith('easydash_server_sample')) return false
  return /^(?:tab|easydash)_[a-z0-9_]{1,60}$/.test(table)
}

/** Type of an archive member. */
export type Member =
  | { readonly kind: 'manifest' }
  | { readonly kind: 'end' }
  | { readonly kind: 'rows'; readonly table: string }
  | { readonly kind: 'file'; readonly folder: string; readonly name: string }
  /** `path`: relative to the site's folder, without a trailing slash. */
  | { readonly kind: 'site'; readonly id: string; readonly path: string }

/** Parts of a site's folder that are exported; the rest is generated again. */
export const siteFolders = ['www', 'logs', 'outbox'] as const
/** Files of a site's folder that are exported; the record comes first. */
export const siteFiles = ['site.json', 'archive.tar.zst'] as const

/** Determines the type of a member from its name. Throws for every name that an export does not write. */
export function memberOf(name: string): Member {
  if (name === 'manifest.json') return { kind: 'manifest' }
  if (name === 'end.json') return { kind: 'end' }
  const [, table] = /^database\/([a-z0-9_]+)\/[0-9]{1,9}\.copy$/.exec(name) ?? []
  if (table !== undefined) return { kind: 'rows', table }
  const [, folder, file] = /^files\/([0-9a-f]{2})\/([0-9a-f]{40}\.[a-z0-9]{2,5})$/.exec(name) ?? []
  if (folder !== undefined && file?.startsWith(folder)) return { kind: 'file', folder, name: file }
  const [, id, path] = /^sites\/([a-z0-9]{10})\/(.+)$/s.exec(name) ?? []
  if (id !== undefined && path !== undefined && isSitePath(path))
    return { kind: 'site', id, path: path.replace(/\/$/, '') }
  throw invalidArchive(`a member of a strange name, ${JSON.stringify(name.slice(0, 200))}`)
}

function isSitePath(path: string): boolean {
  if (siteFiles.some((one) => one === path)) return true
  const parts = path.replace(/\/$/, '').split('/')
  if (parts.some((part) => part === '' || part === '.' || part === '..' || part.includes('\0'))) return false
  return siteFolders.some((one) => one === parts[0])
}

/** Parses the first member. Throws if this release does not support it. */
export function parseManifest(text: string): Manifest {
  const { format, version, made, schema, machine, tables, without, settings } = objectOf(text)
  if (format !== archiveFormat) throw invalidArchive('another format than this release knows')
  const shapes = listOf(tables).map((one) => {
    const { name, columns } = recordOf(one)
    return { name: textOf(name), columns: listOf(columns).map(textOf) }
  })
  const { version: schemaVersion } = recordOf(schema)
  return {
    format,
    version: textOf(version),
    made: textOf(made),
    schema: { version: numberOf(schemaVersion) },
    machine: textOf(machine),
    tables: shapes,
    without: listOf(without).map(excludedSiteOf),
    settings: Object.fromEntries(Object.entries(recordOf(settings)).map(([name, value]) => [name, textOf(value)])),
  }
}

/** Reads the last member. */
export function parseEnd(text: string): End {
  const { members, rows } = objectOf(text)
  return {
    members: numberOf(members),
    rows: Object.fromEntries(Object.entries(recordOf(rows)).map(([table, count]) => [table, numberOf(count)])),
  }
}

function excludedSiteOf(value: unknown): ExcludedSite {
  const { name, domain } = recordOf(value)
  if (!/^[a-z0-9]{10}$/.test(textOf(name)) || !/^[a-z0-9.-]{1,253}$/.test(textOf(domain))) throw damagedArchive()
  return { name: textOf(name), domain: textOf(domain) }
}

function objectOf(text: string): Record<string, unknown> {
  try {
    return recordOf(JSON.parse(text))
  } catch (error) {
    throw damagedArchive(error)
  }
}

function recordOf(value: unknown): Record<string, unknown> {
  if (!isObject(value)) throw damagedArchive()
  return value
}

function listOf(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw damagedArchive()
  return value
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw damagedArchive()
  return value
}

function numberOf(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw damagedArchive()
  return value
}
