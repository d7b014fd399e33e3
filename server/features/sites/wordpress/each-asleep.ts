import { systemClock } from '#server/jobs/clock.ts'
import type { SitesDeps } from '../deps.ts'
import type { EngineHost } from '#server/engines/hosts.ts'
import { dueSites, idsOf, logFailure, type DailyWork } from './each-running.ts'

/** Hours of this machine in which sleeping sites are woken for nightly work: from the first, before the second. */
const night = { from: 1, to: 5 } as const
const hourMs = 3_600_000
/** A site on which it was done in the evening waits for the next night. */
const nightDueAfterMs = 8 * hourMs
/** After this time a site is woken by day: the machine was off at night, or the night was too short. */
const overdueAfterMs = 30 * hourMs
/** A site with which it failed is woken for it again after this time. */
const retryAfterMs = hourMs
/** No further site is woken after this part of a round: a process that stops waits for the end of the round. */
const roundMs = 20_000

/** When the work was last tried on sleeping sites, by id. In memory only: after a restart, each may be tried once more. */
export type TriedSites = Map<string, number>

/**
 * Does the work on WordPress sites of an engine that sleep, one at a time: each night, and by day on those that were left out for long. The
 * engine wakes them within its limit of running sites.
 */
export async function onEachAsleep(
  deps: SitesDeps,
  host: EngineHost<'host'>,
  { work, tried }: { readonly work: DailyWork; readonly tried: TriedSites },
): Promise<void> {
  const clock = deps.clock ?? systemClock
  const began = clock.now()
  for (const [id, at] of tried) if (began - at >= retryAfterMs) tried.delete(id)
  const ids = (await idsOf(deps, host, 'asleep')).filter((id) => !tried.has(id))
  if (ids.length === 0) return
  const find = (age: number) => dueSites(deps, work, { host, ids, since: began - age, createdBefore: began - age })
  const overdue = await find(overdueAfterMs)
  const isOverdue = new Set(overdue.map(({ ref }) => ref.id))
  const others = isNight(began) ? (await find(nightDueAfterMs)).filter(({ ref }) => !isOverdue.has(ref.id)) : []
  for (const { site, ref } of [...overdue, ...others]) {
    if (clock.now() - began > roundMs) return
    tried.set(ref.id, clock.now())
    await logFailure(deps, work, ref, () => work.run(ref, site))
  }
}

function isNight(now: number): boolean {
  const hour = new Date(now).getHours()
  return hour >= night.from && hour < night.to
}
