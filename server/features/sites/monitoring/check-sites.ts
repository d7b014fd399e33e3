import { formatTimestamp, systemClock } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { quietSampleSeconds, type UptimeState } from '#shared/rules/uptime.ts'
import type { SitesDeps } from '../deps.ts'
import { checkAwake } from '../health.ts'
import { hostedSites, stateFinder, type SeenState } from '../hosted-sites.ts'
import type { EngineHost } from '#server/engines/hosts.ts'
import { closeIncidents } from './incidents.ts'
import { writeSamples, type UptimeSample } from './uptime-tables.ts'

/** Sites checked at once: one that does not answer must not delay the others for long. */
const checksAtOnce = 4

/** What a round needs to know of a site. */
const fields = ['name', 'domain', 'status', 'maintenance', 'locked_by_job'] as const

type MonitoredSite = Pick<Site, (typeof fields)[number]>

/** The last sample of sites that sleep or are paused, by name. In memory only: after a restart, each gets one more. */
export type QuietSites = Map<string, { readonly state: UptimeState; readonly at: number }>

/** Jobs and people stop a site on purpose in these states. */
const pausedStatuses: readonly Site['status'][] = ['Suspended', 'Archived', 'Updating', 'Restoring', 'Archiving']

/** Of these, those that stay so: an incident from before is over. A job, by contrast, may be what mends the site. */
const endsIncidents = (site: MonitoredSite): boolean =>
  site.status === 'Suspended' || site.status === 'Archived' || site.maintenance === 1

type Plan = 'check' | Extract<UptimeState, 'down' | 'asleep' | 'paused'> | null

/** What a round does with a site: request it, only note its state, or (null) nothing. */
export function planOf(site: MonitoredSite, state: SeenState): Plan {
  if (site.status === 'Setting Up' || site.status === 'Failed') return null
  if (pausedStatuses.includes(site.status) || site.locked_by_job !== null || site.maintenance === 1) return 'paused'
  if (state === 'running') return 'check'
  if (state === 'asleep') return 'asleep'
  return state === 'creating' ? null : 'down'
}

/**
 * Checks the sites of a machine that run at this moment, a few at once, and notes which ones sleep or are paused. Never wakes a
 * site. All samples of a round are written in one statement.
 */
export async function checkSites(
  deps: SitesDeps,
  host: EngineHost<'host'>,
  quiet: QuietSites = new Map(),
): Promise<void> {
  const now = () => (deps.clock ?? systemClock).now()
  const stateOf = stateFinder(await hostedSites(deps, host), host)
  const sites = await deps
    .documents()
    .transaction(systemSession('schedule'), (tx) =>
      tx.listFields(SiteDoctype, fields, [['engine_host', '=', host.name]]),
    )
  const samples: UptimeSample[] = []
  const over: string[] = []
  const toCheck: string[] = []
  for (const site of sites) {
    const plan = planOf(site, stateOf(site))
    if (plan === 'paused' && endsIncidents(site)) over.push(site.name)
    if (plan === 'check') toCheck.push(site.name)
    if (plan === null || plan === 'check' || !isNews(quiet, site.name, plan, now())) continue
    samples.push({
      site: site.name,
      at: formatTimestamp(now()),
      state: plan,
      status: null,
      ttfbMs: null,
      totalMs: null,
    })
  }
  for (const [name, { at }] of quiet) if (now() - at > 2 * quietSampleSeconds * 1000) quiet.delete(name)
  await inParallel(toCheck, async (name) => {
    quiet.delete(name)
    try {
      const sample = await checkAwake(deps, host, name)
      if (sample) samples.push(sample)
    } catch (error) {
      deps.log.warn('A site could not be checked', { site: name, error })
    }
  })
  // A job may have mended a site meanwhile, whose document says so already.
  for (const { site, state } of samples) if (state === 'up' || state === 'slow') over.push(site)
  if (samples.length === 0 && over.length === 0) return
  await deps.documents().transaction(systemSession('schedule'), async (tx) => {
    await writeSamples(tx, samples)
    await closeIncidents(tx, over, formatTimestamp(now()))
  })
}

/** Whether the state of a site that is not checked is new, or has to be repeated. Notes it then. */
function isNews(quiet: QuietSites, name: string, state: Exclude<Plan, 'check' | null>, now: number): boolean {
  const last = quiet.get(name)
  // A few seconds early: rounds come with a jitter.
  if (state !== 'down' && last?.state === state && now - last.at < (quietSampleSeconds - 30) * 1000) return false
  quiet.set(name, { state, at: now })
  return true
}

async function inParallel(names: readonly string[], run: (name: string) => Promise<void>): Promise<void> {
  const left = names.values()
  const work = async (): Promise<void> => {
    for (const name of left) await run(name)
  }
  await Promise.all(Array.from({ length: checksAtOnce }, work))
}
