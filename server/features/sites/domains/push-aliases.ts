import type { Engine } from '#server/engines/engine.ts'
import { sameAliases, type EngineAlias } from '#server/engines/site-domains.ts'
import type { SiteRef } from '#server/engines/site-ref.ts'
import { systemSession } from '#server/jobs/session.ts'
import type { SitesDeps } from '../deps.ts'
import { withFacetsOf } from '../engine-of.ts'
import { aliasesOfSite } from './domain-table.ts'

/**
 * Gives the engine the aliases of a site as they are stored. Whoever changes them at the same time does the same: the last one
 * to read them has them all.
 */
export async function pushAliases(deps: SitesDeps, engine: Engine, site: SiteRef): Promise<void> {
  const { domains } = withFacetsOf(engine, 'aliases')
  let aliases = await storedAliases(deps, site.id)
  for (;;) {
    await domains.setAliases(site, aliases)
    const now = await storedAliases(deps, site.id)
    if (sameAliases(aliases, now)) return
    aliases = now
  }
}

function storedAliases(deps: SitesDeps, site: string): Promise<EngineAlias[]> {
  return deps.documents().transaction(systemSession('schedule'), (tx) => aliasesOfSite(tx, site))
}
