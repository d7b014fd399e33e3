import type { Documents } from '#server/contracts/documents.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import type { WithFacets } from '#server/engines/facets.ts'
import type { SiteRef } from '#server/engines/site-ref.ts'
import { formatTimestamp, systemClock } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import type { WordPressFacts } from '#shared/responses/wordpress.ts'
import type { SitesDeps } from '../deps.ts'
import { writeSite } from '../job-parts.ts'
import { writeFacts } from './facts-table.ts'

/** Reads a site's WordPress and stores what was found; returns it with its time. */
export async function inspectAndStore(
  deps: SitesDeps,
  engine: WithFacets<'wordpress'>,
  site: SiteRef,
  signal?: AbortSignal,
): Promise<{ facts: WordPressFacts; measured_at: string }> {
  const facts = await engine.wordpress.inspect(site, signal)
  const measured_at = formatTimestamp((deps.clock ?? systemClock).now())
  await inTransaction(deps.documents(), (tx) => storeFacts(tx, site.id, facts, measured_at))
  return { facts, measured_at }
}

function inTransaction<T>(documents: Documents, work: (tx: Tx) => Promise<T>): Promise<T> {
  return documents.transaction(systemSession('schedule'), work)
}

/** Lists and filters use the version of the document, so it follows an update that was made in wp-admin. */
async function storeFacts(tx: Tx, site: string, facts: WordPressFacts, at: string): Promise<void> {
  const known = await tx.get(SiteDoctype, site)
  if (!known) return
  await writeFacts(tx, site, facts, at)
  if (known.wordpress_version !== facts.version) await writeSite(tx, site, { wordpress_version: facts.version })
}
