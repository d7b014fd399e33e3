import type { Tx } from '#server/contracts/transaction.ts'
import type { Engine } from '#server/engines/engine.ts'
import type { ServerRef } from '#server/engines/site-ref.ts'
import type { Site } from '#shared/doctypes/site.ts'
import type { SiteAlias } from '#shared/rules/site-aliases.ts'
import { siteRef } from '../engine-of.ts'
import { writeSite } from '../job-parts.ts'
import { aliasesOfSite } from './domain-table.ts'

/** The fields of a site that show its aliases: those it has, and those that were taken while it was archived. */
export async function aliasFields(
  tx: Tx,
  site: Site,
  engine: Pick<Engine, 'siteUrl'>,
  server: ServerRef,
): Promise<Pick<Site, 'aliases' | 'usr_alias_domains'>> {
  const rows = await aliasesOfSite(tx, site.name)
  const names = new Set(rows.map(({ domain }) => domain))
  const taken = (site.aliases ?? []).filter((alias) => alias.taken === 1 && !names.has(alias.domain))
  const urlOf = (domain: string) => engine.siteUrl({ ...siteRef(site, server), domain })
  return shown([...rows.map((row) => ({ ...row, url: urlOf(row.domain) })), ...taken])
}

function shown(aliases: readonly SiteAlias[]): Pick<Site, 'aliases' | 'usr_alias_domains'> {
  const hosts = aliases.filter(({ taken }) => taken !== 1).map(({ url }) => new URL(url).hostname)
  return {
    aliases: aliases.length === 0 ? null : [...aliases],
    usr_alias_domains: hosts.length === 0 ? null : hosts.join('\n'),
  }
}

/** Shows in the document of a site that another one got one of its aliases. */
export async function markTaken(tx: Tx, site: Site, domain: string): Promise<void> {
  const aliases = (site.aliases ?? []).map((alias): SiteAlias =>
    alias.domain === domain ? { ...alias, taken: 1 } : alias,
  )
  await writeSite(tx, site.name, shown(aliases))
}

/** Without an alias that was taken. */
export async function forgetTaken(tx: Tx, site: Site, domain: string): Promise<void> {
  await writeSite(tx, site.name, shown((site.aliases ?? []).filter((alias) => alias.domain !== domain)))
}
