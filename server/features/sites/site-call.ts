import { ExternalCall, type ActionEntry, type ActionResult, type Finish } from '#server/contracts/controller.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import type { CapabilityName } from '#server/engines/engine.ts'
import type { EngineWith } from '#server/engines/facets.ts'
import type { SiteRef } from '#server/engines/site-ref.ts'
import { formatTimestamp, systemClock } from '#server/jobs/clock.ts'
import { assertNotLocked } from '#server/jobs/enqueue.ts'
import { systemSession } from '#server/jobs/session.ts'
import type { Site } from '#shared/doctypes/site.ts'
import type { SitesDeps } from './deps.ts'
import { requireCapability, siteRef, translateEngineErrors } from './engine-of.ts'
import { requestChangedThumbnail } from './thumbnail-table.ts'

/** A call to the engine of a site. */
export interface SiteCall<K extends CapabilityName> {
  /** What the engine must be able to do. Throws `unsupported` with its reason otherwise. */
  readonly needs: K
  /** What the activity log says about it; left out for an action that only reads, null for a call of another one that does. */
  readonly entry?: ActionEntry | null
  /** It changes the site, so no job may hold it. Throws `locked` while one does. */
  readonly changes?: true
  /** It changes nothing that visitors see, so the thumbnail stays. */
  readonly unseen?: true
  /** Runs after the transaction. Errors of the engine become AppErrors. */
  run(engine: EngineWith<K>, site: SiteRef, signal: AbortSignal): Promise<ActionResult | Finish>
}

/** The external part of an action that calls the site's engine. */
export async function siteCall<K extends CapabilityName>(
  deps: SitesDeps,
  tx: Tx,
  site: Site,
  call: SiteCall<K>,
): Promise<ExternalCall> {
  if (call.changes) await assertNotLocked(tx, site)
  const { engine, server } = await requireCapability(deps, tx, site, call.needs)
  const ref = siteRef(site, server)
  return new ExternalCall(async (signal) => {
    const result = await translateEngineErrors(call.run(engine, ref, signal))
    if (call.changes && !call.unseen) await renewThumbnail(deps, site.name)
    return result
  }, call.entry)
}

/** The change was made, also if its thumbnail can't be requested. */
async function renewThumbnail(deps: SitesDeps, site: string): Promise<void> {
  const at = formatTimestamp((deps.clock ?? systemClock).now())
  try {
    await deps.documents().transaction(systemSession('schedule'), (tx) => requestChangedThumbnail(tx, site, at))
  } catch (error) {
    deps.log.warn('The new thumbnail of a changed site could not be requested', { site, error })
  }
}
