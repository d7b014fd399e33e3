import type { EngineHost } from '#server/engines/hosts.ts'
import { capabilitiesOf, isEngineWith } from '#server/engines/facets.ts'
import { systemClock } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import type { FilterTriple } from '#shared/doctype.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { sameValue } from '#shared/same-value.ts'
import { certificateFieldsOf } from './certificates/set-ssl-job.ts'
import type { SitesDeps } from './deps.ts'
import { siteRef } from './engine-of.ts'
import { writeSite } from './job-parts.ts'
import { bootFieldsOf } from './settings/settings-values.ts'
import { observedFields, storageFields } from './storage-fields.ts'
import type { TriedSites } from './wordpress/each-asleep.ts'

/** Milliseconds until a site is tried again that could not be measured. */
const againMs = 3_600_000
/** Milliseconds until the disk of a site is measured again. */
const diskAgainMs = 24 * 3_600_000
/** No further site is measured after this part of a round. */
const roundMs = 20_000

/** Measures sites that were on a server before it was added, so that lists show what they are before anybody opens them. Only reads there. */
export async function measureFound(deps: SitesDeps, host: EngineHost<'host'>, tried: TriedSites): Promise<void> {
  const unknown: FilterTriple[] = [
    ['is_found', '=', 1],
    ['disk_used', 'is', 'not set'],
  ]
  await eachDue(deps, host, { tried, againMs, filters: unknown, run: (site) => measure(deps, host, site) })
}

/** Measures each site once a day where the engine has no quotas: with these, it measures by itself. */
export async function measureDaily(deps: SitesDeps, host: EngineHost<'host'>, tried: TriedSites): Promise<void> {
  if (host.engine.quotas !== undefined) return
  const known: FilterTriple[] = [['disk_used', 'is', 'set']]
  await eachDue(deps, host, {
    ...{ tried, againMs: diskAgainMs, filters: known },
    run: async (site) => {
      const seen = await host.engine.observe(siteRef(site, host.server))
      if (seen.state === 'absent') return
      const fields = {
        ...(await limitFields(host, site)),
        ...(seen.diskUsed !== 0 && seen.diskUsed !== site.disk_used && storageFields(seen)),
      }
      if (Object.entries(fields).every(([name, value]) => sameValue(Reflect.get(site, name), value))) return
      // Not an edit of the site.
      await deps.documents().transaction(systemSession('schedule'), async (tx) => {
        const now = await tx.get(SiteDoctype, site.name, { lock: true })
        if (now?.locked_by_job === null) await tx.updateColumns(SiteDoctype, site.name, fields)
      })
    },
  })
}

interface Measuring {
  readonly tried: TriedSites
  readonly againMs: number
  readonly filters: readonly FilterTriple[]
  run(site: Site): Promise<void>
}

/** Live and suspended sites of a machine that were not tried for some time and that no job holds, as many as fit into a round. */
async function eachDue(
  deps: SitesDeps,
  host: EngineHost<'host'>,
  { tried, againMs: untilAgain, filters, run }: Measuring,
): Promise<void> {
  const clock = deps.clock ?? systemClock
  const began = clock.now()
  for (const [name, at] of tried) if (began - at > untilAgain) tried.delete(name)
  const sites = await deps
    .documents()
    .transaction(systemSession('schedule'), (tx) =>
      tx.list(SiteDoctype, [
        ['engine_host', '=', host.name],
        ['status', 'in', ['Live', 'Suspended']],
        ['locked_by_job', 'is', 'not set'],
        ...filters,
      ]),
    )
  for (const site of sites.filter(({ name }) => !tried.has(name))) {
    if (clock.now() - began > roundMs) return
    tried.set(site.name, clock.now())
    try {
      await run(site)
    } catch (error) {
      deps.log.warn('A site could not be measured', { site: site.name, error })
    }
  }
}

async function measure(deps: SitesDeps, { engine, server }: EngineHost<'host'>, site: Site): Promise<void> {
  const ref = siteRef(site, server)
  const seen = await engine.observe(ref)
  if (seen.state === 'absent' || seen.diskUsed === 0) return
  const { tls } = capabilitiesOf(engine, server)
  const kind = isEngineWith(engine, 'tls') && tls.supported ? (await engine.certificates.read(ref)).kind : undefined
  const limits = await limitFields({ engine, server }, site)
  await deps.documents().transaction(systemSession('schedule'), async (tx) => {
    const now = await tx.get(SiteDoctype, site.name, { lock: true })
    if (now === null || now.locked_by_job !== null || now.domain !== site.domain) return
    await writeSite(tx, site.name, {
      ...observedFields(seen),
      ...limits,
      ...(kind === undefined ? {} : certificateFieldsOf(engine, ref, { ssl: kind })),
    })
  })
}

/** Limits of PHP as they are on the server, where people can set them, too; empty where there are none. */
async function limitFields(
  { engine, server }: Pick<EngineHost<'host'>, 'engine' | 'server'>,
  site: Site,
): Promise<Partial<Site>> {
  const { php_limits: limits } = capabilitiesOf(engine, server)
  if (!isEngineWith(engine, 'php_limits') || !limits.supported || site.site_type === 'html') return {}
  const { memoryMb, uploadMb } = await engine.settings.read(siteRef(site, server))
  return bootFieldsOf({ memoryMb, uploadMb })
}
