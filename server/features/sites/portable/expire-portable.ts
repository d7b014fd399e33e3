import type { EngineHost } from '#server/engines/hosts.ts'
import { formatTimestamp, systemClock } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import type { SitesDeps } from '../deps.ts'
import { siteRef } from '../engine-of.ts'
import { writeSite } from '../job-parts.ts'

/** How long the archive of a failed import is kept (ms): as long as uploads are. */
const archiveLifeMs = 3 * 86_400_000

/**
 * Removes exports that nobody fetched in time, and archives of imports that nobody tried again.
 * @returns the number of exports
 */
export async function expirePortable(deps: SitesDeps, { engine, server, name }: EngineHost): Promise<number> {
  const now = (deps.clock ?? systemClock).now()
  const documents = deps.documents()
  const due = await documents.transaction(systemSession('schedule'), (tx) =>
    tx.list(SiteDoctype, [
      ['export_expires', '<', formatTimestamp(now)],
      ['engine_host', '=', name],
      ['locked_by_job', 'is', 'not set'],
    ]),
  )
  for (const site of due) {
    await engine.exports?.remove(siteRef(site, server))
    await documents.transaction(systemSession('schedule'), async (tx) => {
      if (await tx.get(SiteDoctype, site.name, { lock: true }))
        await writeSite(tx, site.name, { export_bytes: null, export_expires: null })
    })
  }
  await engine.imports?.expire(now - archiveLifeMs)
  if (due.length > 0) deps.log.info('Deleted expired exports', { host: name, deleted: due.length })
  return due.length
}
