import type { Tx } from '#server/contracts/transaction.ts'
import type { SiteRef } from '#server/engines/site-ref.ts'
import { formatTimestamp, systemClock } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import type { SitesDeps } from '../deps.ts'
import { siteRef } from '../engine-of.ts'
import { hostedSites } from '../hosted-sites.ts'
import type { EngineHost } from '#server/engines/hosts.ts'
import type { HostedSite } from '#server/engines/site-host.ts'

/** Age after which a site is looked at again. */
const dueAfterMs = 20 * 3_600_000

/** Work that is done once a day on each WordPress that runs. */
export interface DailyWork {
  /** What failed, for the log. */
  readonly failure: string
  /** Those of the sites on which it was done since this time. */
  doneSince(tx: Tx, sites: readonly string[], since: string): Promise<ReadonlySet<string>>
  run(ref: SiteRef, site: Site): Promise<unknown>
}

/** Does the work on the WordPress sites of an engine that run now and are due. One that sleeps is left alone. */
export async function onEachRunning(deps: SitesDeps, host: EngineHost<'host'>, work: DailyWork): Promise<void> {
  const running = await idsOf(deps, host, 'running')
  if (running.length === 0) return
  const now = (deps.clock ?? systemClock).now()
  for (const { site, ref } of await dueSites(deps, work, { host, ids: running, since: now - dueAfterMs }))
    await logFailure(deps, work, ref, () => work.run(ref, site))
}

/** Ids of the sites that an engine holds in a state. */
export async function idsOf(deps: SitesDeps, host: EngineHost<'host'>, state: HostedSite['state']): Promise<string[]> {
  return (await hostedSites(deps, host)).flatMap((one) => (one.state === state ? [one.id] : []))
}

/** A site that is due, on its server. */
export interface DueSite {
  readonly site: Site
  readonly ref: SiteRef
}

interface DueQuery {
  readonly host: EngineHost
  readonly ids: readonly string[]
  /** Milliseconds since 1970, as the next. */
  readonly since: number
  readonly createdBefore?: number
}

/** Those of the live WordPress sites on which the work was not done since a time, and no job works. */
export function dueSites(
  deps: SitesDeps,
  work: DailyWork,
  { host, ids, since, createdBefore }: DueQuery,
): Promise<DueSite[]> {
  return deps.documents().transaction(systemSession('schedule'), async (tx) => {
    const done = await work.doneSince(tx, ids, formatTimestamp(since))
    const sites = await tx.list(SiteDoctype, [
      ['name', 'in', ids.filter((id) => !done.has(id))],
      ...(createdBefore === undefined ? [] : [['creation', '<=', formatTimestamp(createdBefore)] as const]),
      ['engine_host', '=', host.name],
      ['status', '=', 'Live'],
      ['site_type', '=', 'wp'],
      ['locked_by_job', 'is', 'not set'],
    ])
    return sites.map((site) => ({ site, ref: siteRef(site, host.server) }))
  })
}

/** Does the work; a failure concerns one site only. */
export async function logFailure(
  deps: SitesDeps,
  work: DailyWork,
  { id }: SiteRef,
  run: () => Promise<unknown>,
): Promise<void> {
  try {
    await run()
  } catch (error) {
    deps.log.warn(work.failure, { site: id, error })
  }
}
