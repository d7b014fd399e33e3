import { isObject } from '#shared/parse-json.ts'
import type { SiteProcess } from '../processes/site-process-handle.ts'
import { isChanging } from './changes.ts'
import type { SiteRecord } from './site-record.ts'
import type { SiteStore } from './site-store.ts'

/**
 * Timeout of a site's scheduled events: longer than PHP may take to become free of visitors' requests and to run. After it the process
 * is killed if they have begun.
 */
const timeoutMs = 120_000
/** After this time, no further site of a network has its turn. */
const networkMs = 45_000
/** Most sites of a network in one round. */
const maxNetworkSites = 200

/**
 * Runs the due scheduled events of a WordPress site, and records when the next one is due.
 * @returns how many ran
 */
export async function runDueEvents(
  store: SiteStore,
  record: SiteRecord,
  wake: (id: string) => Promise<SiteProcess>,
): Promise<number> {
  // What they write during a change would be lost if that is taken back.
  if (record.siteType !== 'wp' || isChanging(record)) return 0
  const begun = performance.now()
  const child = await wake(record.id)
  const signal = AbortSignal.timeout(timeoutMs)
  const first = cronResult((await child.call('cron', {}, signal)).value)
  const results = [first]
  for (const sitePath of record.network === undefined ? [] : first.others) {
    // The rest is due at the next round.
    if (performance.now() - begun > networkMs) break
    results.push(cronResult((await child.call('cron', { sitePath }, signal)).value))
  }
  const times = results.flatMap(({ next }) => next ?? [])
  const nextCronAt = times.length === 0 ? null : Math.min(...times) * 1000
  await store.change(record.id, (now) => (now.nextCronAt === nextCronAt ? now : { ...now, nextCronAt }))
  return results.reduce((sum, { ran }) => sum + ran, 0)
}

interface CronResult {
  readonly ran: number
  /** Seconds since 1970. */
  readonly next: number | null
  /** Paths of further sites of the network with due events. */
  readonly others: readonly string[]
}

/** The site writes it. */
function cronResult(value: unknown): CronResult {
  const { ran, nextCron, others } = isObject(value) ? value : {}
  return {
    ran: typeof ran === 'number' ? ran : 0,
    next: typeof nextCron === 'number' ? nextCron : null,
    others: (Array.isArray(others) ? others : []).slice(0, maxNetworkSites).filter(isSitePath),
  }
}

const isSitePath = (path: unknown): path is string => typeof path === 'string' && /^\/[\w-]{1,100}\/$/.test(path)
