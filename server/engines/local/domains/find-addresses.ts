import * as z from 'zod/mini'
import { parseJson } from '#shared/parse-json.ts'
import type { FoundAddresses } from '../../site-domains.ts'
import type { SiteRef } from '../../site-ref.ts'
import { localSiteUrl } from '../local-base.ts'
import type { LocalContext } from '../local-context.ts'
import { existingRecord } from '../sites/site-store.ts'
import { relocate } from './replace-address.ts'
import { managedRecord } from '../wordpress/run-script.ts'
import { unreadable } from '../../wordpress-scripts.ts'

const name = z.string().check(z.maxLength(190))
const excerpt = z.string().check(z.maxLength(1_000))
const count = z.int().check(z.nonnegative())
/** A row by its number, or in MySQL by the values of its key; none yet: an empty list. */
const position = z.object({
  table: z.string().check(z.maxLength(250)),
  row: z.union([z.number(), z.array(z.string().check(z.maxLength(100))).check(z.maxLength(16))]),
})

/** What `relocate.php` says it would replace. */
const found = z.object({
  after: z.nullable(position),
  skipped: count,
  tables: z.array(z.object({ table: name, rows: count, places: count })).check(z.maxLength(150)),
  options: z.array(z.object({ option: name, places: count })).check(z.maxLength(60)),
  examples: z.array(z.object({ table: name, column: name, before: excerpt, after: excerpt })).check(z.maxLength(8)),
})

const nothing: FoundAddresses = { tables: [], options: [], examples: [], skipped: 0, after: null }

/** See `SiteDomains.findAddresses`. */
export async function findAddresses(
  context: LocalContext,
  site: SiteRef,
  to: string,
  after: string | null,
  signal?: AbortSignal,
): Promise<FoundAddresses> {
  if (existingRecord(context.store, site).siteType !== 'wp') return nothing
  const record = managedRecord(context, site)
  const hostOf = (domain: string) => new URL(localSiteUrl(context.options, { domain })).host
  const input = {
    from: hostOf(record.domain),
    to: hostOf(to),
    salts: {},
    after: after === null ? null : parsePosition(after),
    without_port: true,
    find: true,
    mysql: record.database === 'mysql',
  }
  const parsed = found.safeParse(await relocate(context, record, input, signal))
  if (!parsed.success) throw unreadable()
  const next = parsed.data.after
  return { ...parsed.data, after: next === null ? null : JSON.stringify(next) }
}

/** A client sends it: anything else is the beginning. */
function parsePosition(text: string): z.infer<typeof position> | null {
  const parsed = position.safeParse(parseJson(text))
  return parsed.success ? parsed.data : null
}
