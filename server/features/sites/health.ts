import { createOneByOne } from '#server/platform/one-by-one.ts'
import { siteCheckTimeoutSeconds } from '#shared/rules/site-check.ts'
import { msg } from '#shared/localized-message.ts'
import type { EngineHost } from '#server/engines/hosts.ts'
import type { SiteEvent } from '#server/engines/site-host.ts'
import { formatTimestamp, systemClock } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import type { SitesDeps } from './deps.ts'
import { siteRef } from './engine-of.ts'
import { probeSite } from './monitoring/probe.ts'
import type { UptimeSample } from './monitoring/uptime-tables.ts'
import { healthOf, type PageCheckResult } from './page-check.ts'
import { markAsleep, markAwake, markDown, writeHealth } from './site-health.ts'

/** Minimum time between two checks of a site that wakes repeatedly. */
const pauseMs = 60_000

/**
 * Tracks the health of a machine's sites: one request of our own after a visitor woke a site, its sleep, and crashes reported
 * by the engine. It never wakes a sleeping site or keeps one awake.
 */
export function watchHealth(deps: SitesDeps, host: EngineHost): void {
  const clock = deps.clock ?? systemClock
  const checked = new Map<string, number>()
  // A site that sleeps and wakes at once must not end up asleep because the check was faster.
  const oneByOne = createOneByOne()
  const follow = async ({ id, event, reason }: SiteEvent): Promise<void> => {
    if (event === 'sleep') return markAsleep(deps, id)
    if (event === 'crash') {
      checked.delete(id)
      return markDown(deps, { name: id }, reason ?? msg`The site stopped unexpectedly.`)
    }
    const last = checked.get(id)
    if (last !== undefined && clock.now() - last < pauseMs) return markAwake(deps, id)
    checked.set(id, clock.now())
    await checkAwake(deps, host, id, { justWoke: true })
  }
  host.engine.events?.onProcess((event) => {
    oneByOne(event.id, () => follow(event)).catch((error: unknown) =>
      deps.log.warn('The health of a site could not be written', { site: event.id, error }),
    )
  })
}

/**
 * Requests a live site that is awake and stores the result in its document, and the start or end of an incident. Returns it as a
 * sample; null if the site is not to be checked now.
 */
export async function checkAwake(
  deps: SitesDeps,
  { engine, server }: Pick<EngineHost, 'engine' | 'server'>,
  id: string,
  { justWoke = false }: { justWoke?: boolean } = {},
): Promise<UptimeSample | null> {
  const site = await deps.documents().transaction(systemSession('schedule'), (tx) => tx.get(SiteDoctype, id))
  if (site?.status !== 'Live' || site.locked_by_job !== null || site.maintenance === 1) return null
  const { reason, ...found } = await probeSite(engine, siteRef(site, server), {
    signal: AbortSignal.timeout(siteCheckTimeoutSeconds * 1000),
    countsAsUse: false,
    keyword: site.uptime_keyword,
    justWoke,
  })
  if (reason !== null) await markDown(deps, site, reason)
  else if (found.totalMs !== null) await writeHealth(deps, site.name, pageOf(found.totalMs))
  return { ...found, site: site.name, at: formatTimestamp((deps.clock ?? systemClock).now()) }
}

const pageOf = (response_ms: number): PageCheckResult => ({ health: healthOf(response_ms), response_ms })
