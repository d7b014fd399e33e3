import * as z from 'zod/mini'
import type { Tx } from '#server/contracts/transaction.ts'
import { hostNameOf } from '#server/engines/hosts.ts'
import { checkFormat } from '#shared/rules/formats.ts'
import { isPlainLogin } from '#shared/rules/wordpress-changes.ts'
import { isOneOf } from '#shared/is-one-of.ts'
import { parseJson } from '#shared/parse-json.ts'
import type { Server } from '#shared/doctypes/server.ts'
import { phpVersions, SiteDoctype, siteTypes } from '#shared/doctypes/site.ts'

/** A site that EasyEngine says it has. */
export interface FoundSite {
  readonly domain: string
  readonly type: string
  readonly php: string
  readonly isEnabled: boolean
  /** Further domains. */
  readonly aliases: readonly string[]
  readonly title: string | null
  /** Login name of the first administrator of WordPress. */
  readonly adminUser: string | null
}

const text = z.nullish(z.string())
/** Source: the table `sites` of EasyEngine/site-command. `site_enabled` is BOOLEAN there, which `sqlite3 -json` prints as a number. */
const rows = z.array(
  z.object({
    site_url: z.string(),
    site_type: z.string(),
    site_enabled: z.nullish(z.union([z.string(), z.number()])),
    php_version: text,
    alias_domains: text,
    title: text,
    app_admin_username: text,
  }),
)

/** Reads what `inventory.sh` printed; null if it is none. No rows are printed as nothing. */
export function parseInventory(output: string): FoundSite[] | null {
  const { data } = rows.safeParse(output.trim() === '' ? [] : parseJson(output))
  return (
    data?.map((row) => ({
      domain: row.site_url,
      type: row.site_type,
      php: row.php_version ?? '',
      isEnabled: String(row.site_enabled) === '1',
      aliases: listOf(row.alias_domains ?? ''),
      title: row.title ?? null,
      adminUser: row.app_admin_username ?? null,
    })) ?? null
  )
}

/** Entries of a list with commas. */
export const listOf = (value: string): string[] =>
  value
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')

/** Records a site that a server has, unless it is known. Returns whether it was new; null for one that has no valid name. */
export async function recordFound(tx: Tx, server: Server, found: FoundSite): Promise<boolean | null> {
  const domain = found.domain.toLowerCase()
  if (checkFormat('hostname', domain) !== null || !isOneOf(siteTypes, found.type)) return null
  const host = hostNameOf(server)
  const known = await tx.find(SiteDoctype, [
    ['engine_host', '=', host],
    ['domain', '=', domain],
  ])
  if (known) return false
  // EasyEngine stores them as they were written.
  const aliases = [...new Set(found.aliases.map((alias) => alias.toLowerCase()))]
  await tx.insert(SiteDoctype, {
    organization: server.organization,
    domain,
    server: server.name,
    engine: server.engine,
    engine_host: host,
    cloud_provider: server.cloud_provider,
    site_type: found.type,
    title: found.title?.slice(0, 200) ?? domain,
    admin_user: found.type === 'wp' && isPlainLogin(found.adminUser ?? '') ? found.adminUser : null,
    url: `https://${domain}`,
    php_version: isOneOf(phpVersions, found.php) ? found.php : null,
    status: found.isEnabled ? 'Live' : 'Suspended',
    health: 'Not Checked',
    usr_alias_domains: aliases.filter((alias) => alias !== domain).join(', ') || null,
    is_found: 1,
  })
  return true
}
