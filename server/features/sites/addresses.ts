import { sql } from 'kysely'
import { tableRef } from '#server/documents/documents.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import type { EngineHost } from '#server/engines/hosts.ts'
import { systemSession } from '#server/jobs/session.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import type { SitesDeps } from './deps.ts'
import { siteRef } from './engine-of.ts'

/** Rows per statement: few enough that row locks are short. */
const batchSize = 1000

/** A site and its URL. */
interface Address {
  name: string
  url: string
}

/**
 * Updates the stored URLs of a host's sites to the current settings (port, domain, public pattern). URLs are stored so that
 * lists can show and filter them. Only rows that differ are written, in batches: a changed port affects all sites, and the
 * start waits for this. Not a user edit, so no hooks and no activity; open pages are notified.
 * @returns the number of updated sites
 */
export async function refreshAddresses(deps: SitesDeps, host: EngineHost): Promise<number> {
  const inTransaction = <T>(work: (tx: Tx) => Promise<T>) =>
    deps.documents().transaction(systemSession('schedule'), work)
  const stale = await inTransaction((tx) => staleAddresses(tx, host))
  let written = 0
  for (let at = 0; at < stale.length; at += batchSize)
    written += await inTransaction((tx) => write(tx, host.name, stale.slice(at, at + batchSize)))
  if (written > 0) deps.log.info('Sites have new addresses', { sites: written })
  return written
}

/** Sites whose stored URL differs from the engine's, with the right one. */
async function staleAddresses(tx: Tx, { engine, name: host, server }: EngineHost): Promise<Address[]> {
  const fields = ['name', 'domain', 'site_type', 'php_version', 'url'] as const
  const sites = await tx.listFields(SiteDoctype, fields, [['engine_host', '=', host]])
  return sites.flatMap((row) => {
    const url = engine.siteUrl(siteRef(row, server))
    return url === row.url ? [] : [{ name: row.name, url }]
  })
}

/** One statement for the batch, because each site has another address. */
async function write(tx: Tx, engineHost: string, batch: readonly Address[]): Promise<number> {
  const names = batch.map(({ name }) => name)
  const urls = batch.map(({ url }) => url)
  const { rows } = await sql<{ name: string; organization: string; modified: string }>`
    update ${tableRef(SiteDoctype.name)} site set url = new.url, modified_by = ${tx.session.user},
      modified = cast(clock_timestamp() at time zone 'utc' as timestamp(6))
    from unnest(cast(${names} as text[]), cast(${urls} as text[])) new (name, url)
    where site.name = new.name and site.engine_host = ${engineHost}
    returning site.name, site.organization, site.modified`.execute(tx.trx)
  tx.emitEvents(SiteDoctype, rows)
  return rows.length
}
