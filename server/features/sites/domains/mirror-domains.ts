import { EngineError } from '#server/engines/engine.ts'
import type { EngineHost } from '#server/engines/hosts.ts'
import { sameAliases } from '#server/engines/site-domains.ts'
import { systemSession } from '#server/jobs/session.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import type { SitesDeps } from '../deps.ts'
import { siteRef } from '../engine-of.ts'
import { aliasesOfSite, domainsOfSite, releasePending } from './domain-table.ts'
import { pushAliases } from './push-aliases.ts'

/**
 * Makes the engine follow the stored names of a site that no job works on: after a change whose process died before the
 * engine had it, and after a change of the primary domain whose job is gone.
 */
export async function mirrorDomains(deps: SitesDeps, { engine, server }: EngineHost, site: Site): Promise<void> {
  if (site.locked_by_job !== null || site.status === 'Setting Up') return
  const { domains } = engine
  if (domains === undefined) return
  const ref = siteRef(site, server)
  const has = await domains.read(ref).catch((error: unknown) => {
    if (error instanceof EngineError && error.code === 'not_found') return null
    throw error
  })
  if (has === null) return
  // Read after the engine: a job that began the change meanwhile holds the site.
  const now = await deps.documents().transaction(systemSession('schedule'), (tx) => tx.get(SiteDoctype, site.name))
  if (now === null || now.locked_by_job !== null) return
  if (has.changingTo !== null) await domains.undoChange(ref)
  const { aliases, isPending } = await deps.documents().transaction(systemSession('schedule'), async (tx) => {
    const rows = await domainsOfSite(tx, site.name)
    return { aliases: await aliasesOfSite(tx, site.name), isPending: rows.some(({ mode }) => mode === 'pending') }
  })
  if (isPending) await releaseLeft(deps, site)
  if (!sameAliases(has.aliases, aliases) || has.changingTo !== null) await pushAliases(deps, engine, ref)
}

/** Releases a name that was reserved for a job, unless a new one began meanwhile. */
async function releaseLeft(deps: SitesDeps, site: Site): Promise<void> {
  await deps.documents().transaction(systemSession('schedule'), async (tx) => {
    const now = await tx.get(SiteDoctype, site.name, { lock: true })
    if (now?.locked_by_job === null) await releasePending(tx, site.name)
  })
}
