import { EngineError } from '#server/engines/engine.ts'
import type { SiteLogs } from '#server/engines/site-logs.ts'
import type { SiteRef } from '#server/engines/site-ref.ts'
import type { WordPressHealthFacts } from '#server/engines/wordpress-health.ts'
import { formatTimestamp, systemClock } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import type { Documents } from '#server/contracts/documents.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import type { SiteFindings } from '#shared/responses/site-findings.ts'
import { isOldPhp } from '#shared/rules/php-support.ts'
import type { LogName } from '#shared/rules/site-logs.ts'
import { urgentFindings } from '#shared/rules/urgent-findings.ts'
import type { SitesDeps } from '../deps.ts'
import type { WithFacets } from '#server/engines/facets.ts'
import type { EngineHost } from '#server/engines/hosts.ts'
import { writeSite } from '../job-parts.ts'
import { readUptime } from '../monitoring/read-uptime.ts'
import { doneSince, readFacts, writeHealthTime } from '../wordpress/facts-table.ts'
import { onEachRunning } from '../wordpress/each-running.ts'
import { findingsOf, type Observed } from './findings.ts'
import { countPhpErrors, type LogPart } from './php-errors.ts'
import { readSlowPages } from './slow-pages.ts'

const dayMs = 86_400_000

/** Looks at a site's WordPress from inside, and stores what was found: the site needs attention if some of it is urgent. */
export async function lookAndStore(
  deps: SitesDeps,
  engine: WithFacets<'health'>,
  ref: SiteRef,
  site: Pick<Site, 'server' | 'storage' | 'php_version'>,
): Promise<SiteFindings> {
  const now = (deps.clock ?? systemClock).now()
  const known = await inTransaction(deps.documents(), async (tx) => ({
    facts: (await readFacts(tx, ref.id)).facts,
    p95Ms: (await readUptime(tx, ref.id, '24h', now)).totals.p95_ms,
    diskShare: await diskShareOf(tx, site),
  }))
  const health = await healthOf(engine, ref)
  const { logs } = engine
  const ends = logs ? await Promise.all((['php', 'debug'] as const).map((log) => endOf(logs, ref, log))) : []
  const phpErrors = countPhpErrors(ends, now - dayMs)
  const slowPages = logs ? await readSlowPages(logs, ref, now - dayMs) : null
  const { php_version: php } = site
  const oldPhp = php && isOldPhp(php, now) ? php : null
  const observed: Observed = { health, phpErrors, slowPages, ...known, oldPhp }
  const found = { checked_at: formatTimestamp(now), ...findingsOf(observed) }
  await inTransaction(deps.documents(), (tx) => store(tx, ref.id, found))
  return found
}

/** Looks at the sites of a machine that run now and were not looked at for a day. */
export function lookAtRunning(deps: SitesDeps, host: EngineHost<'host' | 'health'>): Promise<void> {
  return onEachRunning(deps, host, {
    failure: 'The health of a WordPress could not be checked',
    doneSince: (tx, sites, since) => doneSince(tx, 'health_at', sites, since),
    run: (ref, site) => lookAndStore(deps, host.engine, ref, site),
  })
}

function inTransaction<T>(documents: Documents, work: (tx: Tx) => Promise<T>): Promise<T> {
  return documents.transaction(systemSession('schedule'), work)
}

async function store(tx: Tx, site: string, found: SiteFindings): Promise<void> {
  const known = await tx.get(SiteDoctype, site)
  if (!known) return
  await writeHealthTime(tx, site, found.checked_at)
  const urgent = urgentFindings.find((one) => found.findings.some(({ kind }) => kind === one)) ?? null
  const shown = { wordpress_health: urgent === null ? 'Good' : 'Needs Attention', wordpress_problem: urgent } as const
  if (known.wordpress_health !== shown.wordpress_health || known.wordpress_problem !== shown.wordpress_problem)
    await writeSite(tx, site, shown)
}

/** A WordPress that its own code keeps from loading is a finding, not a failure of the look at it. */
async function healthOf(engine: WithFacets<'health'>, site: SiteRef): Promise<WordPressHealthFacts | string> {
  try {
    return await engine.health.inspect(site)
  } catch (error) {
    if (error instanceof EngineError && error.code === 'unavailable') return error.message
    throw error
  }
}

async function endOf(logs: SiteLogs, site: SiteRef, log: LogName): Promise<LogPart> {
  const { lines, start } = await logs.read(site, log, { from: 'end' })
  return { lines, isPart: start !== null }
}

/** How full the disk quota of a site is; without one, how full the disk of its server is. Null: not known. */
async function diskShareOf(tx: Tx, { server, storage }: Pick<Site, 'server' | 'storage'>): Promise<number | null> {
  const limit = (storage?.quota.disk_mb ?? 0) * 1_048_576
  if (storage && limit > 0) return storage.bytes / limit
  const [host] = await tx.listFields(
    ServerDoctype,
    ['disk', 'disk_free', 'disk_percent', 'checked_at', 'metrics_at'],
    [['name', '=', server]],
  )
  if (!host) return null
  const { disk, disk_free: free, disk_percent: percent, checked_at: checked, metrics_at: sampled } = host
  const isSampled = percent !== null && sampled !== null && sampled >= (checked ?? '')
  if (isSampled) return percent / 100
  return disk !== null && disk > 0 && free !== null ? 1 - free / disk : null
}
