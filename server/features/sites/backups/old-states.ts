import type { Tx } from '#server/contracts/transaction.ts'
import { EngineError } from '#server/engines/engine.ts'
import { hasFacets } from '#server/engines/facets.ts'
import { formatTimestamp, systemClock } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import { engineHostOf } from '#shared/rules/engines.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { restoredKeptDays } from '#shared/rules/backups.ts'
import type { SitesDeps } from '../deps.ts'
import { findEngine, serverOf, siteRef } from '../engine-of.ts'
import { writeSite } from '../job-parts.ts'
import { nothingKept } from './backup-parts.ts'

/** Removes the states before restores whose days are over, of sites that this process can reach. What fails is tried again. */
export async function removeOldStates(deps: SitesDeps): Promise<void> {
  const { clock = systemClock, documents, log } = deps
  const before = formatTimestamp(clock.now() - restoredKeptDays * 86_400_000)
  const run = <T>(work: (tx: Tx) => Promise<T>) => documents().transaction(systemSession('schedule'), work)
  for (const site of await run((tx) => tx.list(SiteDoctype, [['restored_at', '<', before]])))
    try {
      await removeOldState(deps, run, site)
    } catch (error) {
      log.warn('The state before a restore could not be removed', { site: site.name, error })
    }
}

async function removeOldState(
  deps: SitesDeps,
  run: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>,
  site: Site,
): Promise<void> {
  const engine = findEngine(deps.engines, site)
  if (site.locked_by_job !== null || engine === undefined || !hasFacets(engine, 'restores')) return
  const isElsewhere =
    engine.reach === 'machine' && deps.machine && site.engine_host !== engineHostOf(engine.name, deps.machine)
  if (isElsewhere) return
  const server = await run((tx) => serverOf(tx, site))
  try {
    await engine.restores.forgetKept(siteRef(site, server))
  } catch (error) {
    // A site that is gone keeps nothing.
    if (!(error instanceof EngineError) || error.code !== 'not_found') throw error
  }
  await run(async (tx) => {
    const now = await tx.get(SiteDoctype, site.name, { lock: true })
    // It may have been restored again.
    if (now?.restored_at === site.restored_at) await writeSite(tx, site.name, nothingKept)
  })
}
