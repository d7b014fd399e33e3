import { errorMessage } from '#server/jobs/failure.ts'
import { createOneByOne } from '#server/platform/one-by-one.ts'
import { siteCheckTimeoutSeconds } from '#shared/rules/site-check.ts'
import { msg, type LocalizedMessage } from '#shared/localized-message.ts'
import { thisMachine, type Engine } from '#server/engines/engine.ts'
import { systemClock } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import type { SitesDeps } from './deps.ts'
import { siteRef } from './engine-of.ts'
import type { HostingEngine } from './hosting-engine.ts'
import { checkExistingPage, type PageCheckResult } from './page-check.ts'
import { markAsleep, markAwake, markDown, writeHealth } from './site-health.ts'

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
 * Tracks the health of a machine's sites: one request of our own after a visitor woke a site, its sleep, and crashes reported
 * by the engine. It never wakes a sleeping site or keeps one awake.
 */
export function watchHealth(deps: SitesDeps, engine: Engine): void {
  if (!emitsSiteEvents(engine)) return
  const clock = deps.clock ?? systemClock
  const checked = new Map<string, number>()
  // A site that sleeps and wakes at once must not end up asleep because the check was faster.
  const oneByOne = createOneByOne()
  const follow = ({ id, event, reason }: SiteProcessEvent): Promise<void> => {
    if (event === 'sleep') return markAsleep(deps, id)
    if (event === 'crash') {
      checked.delete(id)
      return markDown(deps, { name: id }, reason ?? msg`The site stopped unexpectedly.`)
    }
    const last = checked.get(id)
    if (last !== undefined && clock.now() - last < pauseMs) return markAwake(deps, id)
    checked.set(id, clock.now())
    return checkAwake(deps, engine, id)
  }
  engine.on('site', (event) => {
    oneByOne(event.id, () => follow(event)).catch((error: unknown) =>
      deps.log.warn('The health of a site could not be written', { site: event.id, error }),
    )
  })
}

function emitsSiteEvents(engine: Engine): engine is EventEmittingEngine {
  return typeof Reflect.get(engine, 'on') === 'function'
}

/** Sites checked at once: one that does not answer must not delay the others for long. */
const checksAtOnce = 4

/**
 * Checks the sites of a machine that run at this moment, a few at once: a site that stays awake would otherwise keep the result
 * of the check when it woke.
 */
export async function checkRunning(deps: SitesDeps, engine: HostingEngine): Promise<void> {
  const sites = [...engine.listSites()].filter(({ state }) => state === 'running').values()
  const work = async (): Promise<void> => {
    for (const { id } of sites)
      await checkAwake(deps, engine, id).catch((error: unknown) =>
        deps.log.warn('A site could not be checked', { site: id, error }),
      )
  }
  await Promise.all(Array.from({ length: checksAtOnce }, work))
}

/** Requests a live site that is awake and stores the result. */
export async function checkAwake(deps: SitesDeps, engine: Engine, id: string): Promise<void> {
  const site = await deps.documents().transaction(systemSession('schedule'), (tx) => tx.get(SiteDoctype, id))
  if (site?.status !== 'Live' || site.locked_by_job !== null) return
  let page: PageCheckResult
  try {
    page = await checkExistingPage(engine, siteRef(site, thisMachine), {
      signal: AbortSignal.timeout(siteCheckTimeoutSeconds * 1000),
      countsAsUse: false,
    })
  } catch (error) {
    await markDown(deps, site, errorMessage(error))
    return
  }
  await writeHealth(deps, site.name, page)
}
