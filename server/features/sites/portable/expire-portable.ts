import type { Sweep } from '#server/contracts/schedule.ts'
import { formatTimestamp, systemClock } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import type { SitesDeps } from '../deps.ts'
import { siteRef } from '../engine-of.ts'
import type { WithFacets } from '#server/engines/facets.ts'
import { writeSite } from '../job-parts.ts'
import { serverOf } from '../server-ref.ts'

/** How long the archive of a failed import is kept (ms): as long as uploads are. */
const archiveLifeMs = 3 * 86_400_000

/** Removes exports that nobody fetched in time, and archives of imports that nobody tried again. */
export function portableSweep(deps: SitesDeps, engine: WithFacets<'host'>, host: string): Sweep {
  return {
    name: `sites.exports ${host}`,
    everySeconds: 3600,
    async run() {
      const now = (deps.clock ?? systemClock).now()
      const documents = deps.documents()
      const due = await documents.transaction(systemSession('schedule'), async (tx) => {
        const sites = await tx.list(SiteDoctype, [
          ['export_expires', '<', formatTimestamp(now)],
          ['engine_host', '=', host],
          ['locked_by_job', 'is', 'not set'],
        ])
        return Promise.all(sites.map(async (site) => siteRef(site, await serverOf(tx, site))))
      })
      for (const ref of due) {
        await engine.exports?.remove(ref)
        await documents.transaction(systemSession('schedule'), async (tx) => {
          if (await tx.get(SiteDoctype, ref.id, { lock: true }))
            await writeSite(tx, ref.id, { export_bytes: null, export_expires: null })
        })
      }
      await engine.imports?.expire(now - archiveLifeMs)
      return due.length
    },
  }
}
