import { isObject } from '#shared/parse-json.ts'
import type { SiteProcess } from '../processes/site-process-handle.ts'
import type { SiteRecord } from './site-record.ts'
import type { SiteStore } from './site-store.ts'

/**
 * Timeout of a site's scheduled events: longer than PHP may take to become free and to run. After it the process is killed.
 */
const timeoutMs = 120_000

/**
 * Runs the due scheduled events of a WordPress site, and records when the next one is due.
 * @returns how many ran
 */
export async function runDueEvents(
  store: SiteStore,
  record: SiteRecord,
  wake: (id: string) => Promise<SiteProcess>,
): Promise<number> {
  if (record.siteType !== 'wp') return 0
  const child = await wake(record.id)
  const { value } = await child.call('cron', {}, AbortSignal.timeout(timeoutMs))
  const { ran, nextCron } = isObject(value) ? value : {}
  const nextCronAt = typeof nextCron === 'number' ? nextCron * 1000 : null
  await store.change(record.id, (now) => (now.nextCronAt === nextCronAt ? now : { ...now, nextCronAt }))
  return typeof ran === 'number' ? ran : 0
}
