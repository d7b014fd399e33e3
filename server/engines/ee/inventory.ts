import * as z from 'zod/mini'
import { parseJson } from '#shared/parse-json.ts'
import { msg } from '#shared/localized-message.ts'
import { checkDomain } from '#shared/rules/formats.ts'
import type { MultisiteKind } from '#shared/rules/multisite.ts'
import { sharesVolumes } from '#shared/rules/site-domains.ts'
import { EngineError } from '../engine.ts'
import type { HostedSite } from '../site-host.ts'
import type { ServerRef, SiteRef } from '../site-ref.ts'
import type { EeContext } from './ee-context.ts'
import { look, outputOf } from './remote.ts'

const text = z.nullish(z.string().check(z.maxLength(2_000)))

const flag = z.nullish(z.union([z.string().check(z.maxLength(20)), z.number()]))

/** Source: the table `sites` of EasyEngine/site-command; SQLite may give numbers as texts. */
const rowSchema = z.object({
  site_url: z.string().check(z.maxLength(253)),
  site_type: z.enum(['html', 'php', 'wp']),
  app_sub_type: text,
  site_enabled: z.union([z.string(), z.number()]),
  site_ssl: text,
  site_ssl_wildcard: flag,
  cache_app_object: flag,
  cache_host: text,
  proxy_cache: text,
  alias_domains: z.nullish(z.string().check(z.maxLength(20_000))),
  mailhog_enabled: flag,
  php_version: text,
  db_name: text,
  site_container_fs_path: z.nullish(z.string().check(z.regex(/^\/var\/www\/htdocs(?:\/\w[\w.-]*)*$/))),
  app_admin_username: text,
  app_admin_email: text,
})

/** A site as EasyEngine stores it. */
export type EeRow = z.infer<typeof rowSchema>

/** What we noted about a site on its server: `new` until it is finished. */
export type EeMark = 'new' | 'live' | 'suspended' | 'archived'

const marks: readonly string[] = ['new', 'live', 'suspended', 'archived'] satisfies EeMark[]

/** The sites of a server, and our marks. */
export interface Inventory {
  readonly rows: readonly EeRow[]
  readonly marks: ReadonlyMap<string, { readonly id: string; readonly state: EeMark }>
}

const maxSites = 2_000

/** Reads what `inventory.sh` printed; null if it is none. A row that is no site of ours to name is left out. */
export function parseInventory(output: string): Inventory | null {
  const at = output.lastIndexOf('\n--marks\n')
  if (at < 0) return null
  const json = output.slice(0, at).trim()
  const { data } = z
    .array(z.unknown())
    .check(z.maxLength(maxSites))
    .safeParse(json === '' ? [] : parseJson(json))
  if (data === undefined) return null
  const rows = data.flatMap((one) => {
    const row = rowSchema.safeParse(one)
    return row.success && checkDomain(row.data.site_url) === null ? [row.data] : []
  })
  const noted = output
    .slice(at + '\n--marks\n'.length)
    .split('\n')
    .map((line) => /^([a-z0-9.-]{1,253}) ([a-z0-9]{10}) ([a-z]+)$/.exec(line))
  return {
    rows,
    marks: new Map(
      noted.flatMap((found) =>
        found && marks.includes(found[3] ?? '')
          ? [[found[1] as string, { id: found[2] as string, state: found[3] as EeMark }]]
          : [],
      ),
    ),
  }
}

/** Asks a server which sites it has, with one command for all. */
export async function readInventory(context: EeContext, server: ServerRef, signal?: AbortSignal): Promise<Inventory> {
  const output = outputOf(await look(context, server, { script: 'inventory', args: [], signal, maxBytes: 4_194_304 }))
  const inventory = parseInventory(output)
  if (inventory) return inventory
  throw new EngineError('unavailable', msg`EasyEngine’s list of sites cannot be read.`, {
    nextAction: msg`Check that the program sqlite3 is installed on the server, then retry.`,
  })
}

/** Name of the database of a site: EasyEngine stores it, so it also says whose a site is. In an email address it does that without a database. */
export const databaseNameOf = (id: string, attempt: string): string => `ed_${id}_${attempt}`

/** What a server has of a site. */
export interface EeSite {
  /** Null: it does not exist, or is not finished. */
  readonly row: EeRow | null
  readonly mark: EeMark | null
  /** Another site has the domain, or one whose volumes have the same names; its domain. */
  readonly clash: string | null
}

/** How scripts reach the database of a site, see `remote/database.sh`; null without one: a PHP site may have been made with one. */
export const databaseOf = (row: EeRow): 'wp' | 'mariadb' | null =>
  row.site_type === 'wp' ? 'wp' : (row.db_name ?? '') === '' ? null : 'mariadb'

/**
 * The id of a site as its server says it; null for those that were made there. EasyEngine keeps for good what names it: the name of the database, or the
 * email address of a PHP site without one. A mark counts only for an HTML site, which has neither: the site it was for may have been deleted
 * and made again on the server.
 */
function ownerOf(row: EeRow, mark: { readonly id: string } | undefined): string | null {
  const named = row.site_type === 'php' && databaseOf(row) === null ? row.app_admin_email : row.db_name
  return /^ed_([a-z0-9]{10})_/.exec(named ?? '')?.[1] ?? (row.site_type === 'html' ? (mark?.id ?? null) : null)
}

/** Finds a site among those of its server. It is ours unless the mark is another site's: by its owner, or it was found there. */
export function siteIn({ rows, marks: all }: Inventory, { id, domain, isFound }: SiteRef): EeSite {
  const row = rows.find((one) => one.site_url === domain) ?? null
  const mark = all.get(domain)
  const isOthers = mark !== undefined && mark.id !== id
  const isOurs = !isOthers && (row === null ? mark !== undefined : isFound === true || ownerOf(row, mark) === id)
  const taken = [...rows.map((one) => one.site_url), ...all.keys()]
  const isAlias = rows.some((one) => one.site_url !== domain && aliasesOf(one).includes(domain))
  const clash = isAlias
    ? domain
    : (taken.find((one) => (one === domain ? !isOurs : sharesVolumes(one, domain))) ?? null)
  return { row: isOurs ? row : null, mark: isOthers ? null : (mark?.state ?? null), clash }
}

/** Further domains of a site as they were written: EasyEngine lowers the primary one only, and finds others by the same letters. */
export const writtenAliasesOf = ({ site_url: domain, alias_domains: all }: EeRow): string[] =>
  (all ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name.toLowerCase() !== domain)

/** Further domains of a site, in lower case. */
export const aliasesOf = (row: EeRow): string[] => [...new Set(writtenAliasesOf(row).map((name) => name.toLowerCase()))]

/** The kind of network that EasyEngine made of a site; null for any other. */
export const networkOf = ({ app_sub_type: kind }: EeRow): MultisiteKind | null =>
  kind === 'subdir' || kind === 'subdom' ? kind : null

/** Whether a column says yes. */
export const isOn = (value: string | number | null | undefined): boolean => String(value) === '1'

/** Whether a site is served. */
export const isEnabled = (row: EeRow): boolean => isOn(row.site_enabled)

/** The sites of a server that are or may be known to us; `id` is null for those that were there before. */
export function hostedSites({ rows, marks: all }: Inventory): HostedSite[] {
  const known = new Set(rows.map((row) => row.site_url))
  const unfinished = [...all].flatMap(([domain, { id, state }]): HostedSite[] =>
    known.has(domain) || state !== 'new' ? [] : [{ id, domain, state: 'creating', pid: null }],
  )
  return [
    ...unfinished,
    ...rows.map((row): HostedSite => {
      const mark = all.get(row.site_url)
      const state = mark?.state === 'archived' ? 'archived' : isEnabled(row) ? 'running' : 'asleep'
      const id = ownerOf(row, mark)
      // The domain of each site that was made from here is marked before there is a row, and until there is none.
      const isRenamed = id !== null && mark === undefined
      return { id, domain: row.site_url, state, pid: null, ...(isRenamed ? { isRenamed } : {}) }
    }),
  ]
}
