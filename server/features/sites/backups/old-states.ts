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

type Run = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>

/** Removes the states before restores whose days are over, of sites that this process can reach. What fails is tried again. */
export async function removeOldStates(deps: SitesDeps): Promise<void> {
  const { clock = systemClock, documents, log } = deps
  const before = clock.now() - restoredKeptDays * 86_400_000
  const run: Run = (work) => documents().transaction(systemSession('schedule'), work)
  for (const { name } of await run((tx) =>
    tx.listFields(SiteDoctype, ['name'], [['restored_at', '<', formatTimestamp(before)]]),
  ))
    try {
      await removeOldState(deps, run, name, before)
    } catch (error) {
      log.warn('The state before a restore could not be removed', { site: name, error })
    }
}

async function removeOldState(deps: SitesDeps, run: Run, name: string, before: number): Promise<void> {
  // Since they were listed, others were called, which takes time.
  const site = await run((tx) => tx.get(SiteDoctype, name))
  if (!site || !isOld(site, before) || site.locked_by_job !== null) return
  const engine = findEngine(deps.engines, site)
  if (engine === undefined || !hasFacets(engine, 'restores')) return
  const isElsewhere =
    engine.reach === 'machine' && deps.machine && site.engine_host !== engineHostOf(engine.name, deps.machine)
  if (isElsewhere) return
  const server = await run((tx) => serverOf(tx, site))
  try {
    await engine.restores.forgetKept(siteRef(site, server), before)
  } catch (error) {
    // A site that is gone keeps nothing.
    if (!(error instanceof EngineError) || error.code !== 'not_found') throw error
  }
  await run(async (tx) => {
    const now = await tx.get(SiteDoctype, name, { lock: true })
    // It may have been restored again.
    if (now && isOld(now, before)) await writeSite(tx, name, nothingKept)
  })
}

const isOld = ({ restored_at: at }: Site, before: number): boolean => at !== null && at < formatTimestamp(before)
