import { errorMessage } from '#server/jobs/failure.ts'
import { msg, type LocalizedMessage } from '#shared/localized-message.ts'
import { thisMachine, type Engine } from '#server/engines/engine.ts'
import { formatTimestamp, systemClock } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import type { SitesDeps } from './deps.ts'
import { siteRef } from './engine-of.ts'
import { writeSite } from './job-parts.ts'
import { checkExistingPage, type PageCheckResult } from './page-check.ts'
import { markDown } from './reconcile.ts'

/** Process event of a site, as reported by an engine on this machine. */
export interface SiteProcessEvent {
  id: string
  event: 'wake' | 'sleep' | 'crash'
  /** Reason of a crash. */
  reason: LocalizedMessage | null
}

/** An engine that emits events when its sites wake, sleep and crash. */
interface EventEmittingEngine extends Engine {
  on(event: 'site', listener: (event: SiteProcessEvent) => void): unknown
}

/** Minimum time between two checks of a site that wakes repeatedly. */
const pauseMs = 60_000

/**
 * Tracks the health of a machine's sites: one request of our own after a visitor woke a site, and crashes reported by the
 * engine. It never wakes a sleeping site or keeps one awake.
 */
export function watchHealth(deps: SitesDeps, engine: Engine): void {
  if (!emitsSiteEvents(engine)) return
  const clock = deps.clock ?? systemClock
  const checked = new Map<string, number>()
  engine.on('site', ({ id, event, reason }) => {
    const last = checked.get(id)
    if (event === 'sleep' || (event === 'wake' && last !== undefined && clock.now() - last < pauseMs)) return
    if (event === 'wake') checked.set(id, clock.now())
    else checked.delete(id)
    const work =
      event === 'crash'
        ? markDown(deps, { name: id }, reason ?? msg`The site stopped unexpectedly.`)
        : checkAwake(deps, engine, id)
    work.catch((error: unknown) => deps.log.warn('The health of a site could not be written', { site: id, error }))
  })
}

function emitsSiteEvents(engine: Engine): engine is EventEmittingEngine {
  return typeof Reflect.get(engine, 'on') === 'function'
}

/** Requests a live site that just woke and stores the result. */
export async function checkAwake(deps: SitesDeps, engine: Engine, id: string): Promise<void> {
  const site = await deps.documents().transaction(systemSession('schedule'), (tx) => tx.get(SiteDoctype, id))
  if (site?.status !== 'Live' || site.locked_by_job !== null) return
  let page: PageCheckResult
  try {
    page = await checkExistingPage(engine, siteRef(site, thisMachine), AbortSignal.timeout(30_000))
  } catch (error) {
    await markDown(deps, site, errorMessage(error))
    return
  }
  await writeHealth(deps, site, page)
}

/**
 * A changed state is a normal update. If only the time changed, `modified` stays, so that it does not look like an edit to
 * somebody with the form open.
 */
async function writeHealth(deps: SitesDeps, site: Site, page: PageCheckResult): Promise<void> {
  const now = formatTimestamp((deps.clock ?? systemClock).now())
  await deps.documents().transaction(systemSession('schedule'), async (tx) => {
    const stored = await tx.get(SiteDoctype, site.name, { lock: true })
    if (stored?.status !== 'Live') return
    if (stored.health !== page.health || stored.failure_reason !== null) {
      await writeSite(tx, site.name, { ...page, health_checked_at: now, failure: null })
    } else {
      await tx.updateColumns(SiteDoctype, site.name, { response_ms: page.response_ms, health_checked_at: now })
    }
  })
}
