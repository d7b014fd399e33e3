import * as z from 'zod/mini'
import { parseJson } from '#shared/parse-json.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../engine.ts'
import type { SiteRef } from '../site-ref.ts'
import type { EeContext } from './ee-context.ts'
import { look, mutate, outputOf } from './remote.ts'
import { existingSite, workdirOf } from './site-of.ts'
import { runWp } from './wp.ts'

const jobs = z.array(z.object({ id: z.number() })).check(z.maxLength(20))

/** Whether nothing runs the scheduled events of a WordPress: EasyEngine turns WordPress' own way off, and has a job for it. */
export async function areEventsPaused(context: EeContext, site: SiteRef, signal?: AbortSignal): Promise<boolean> {
  const call = { script: 'events', args: [site.domain, 'state'], signal } as const
  const output = outputOf(await look(context, site.server, call)).trim()
  const { data } = jobs.safeParse(output === '' ? [] : parseJson(output))
  if (data !== undefined) return data.length === 0
  throw new EngineError('unavailable', msg`The server did not say what runs scheduled events.`, {
    retryable: true,
    nextAction: msg`Retry.`,
  })
}

/** Removes that job, or makes it again. */
export async function pauseEvents(
  context: EeContext,
  site: SiteRef,
  isPaused: boolean,
  signal?: AbortSignal,
): Promise<void> {
  await mutate(context, site.server, {
    id: `ee-${site.id}-cron`,
    script: 'events',
    args: [site.domain, isPaused ? 'pause' : 'resume'],
    signal,
    isDone: async () => (await areEventsPaused(context, site)) === isPaused,
  })
}

/** Runs what is due, unless events are paused; returns how many ran. */
export async function runDueEvents(context: EeContext, site: SiteRef): Promise<number> {
  const { row } = await existingSite(context, site)
  if (row.site_type !== 'wp' || (await areEventsPaused(context, site))) return 0
  const args = ['cron', 'event', 'run', '--due-now']
  const output = await runWp(context, site, { workdir: workdirOf(row), args, deadlineMs: 170_000 })
  return Number(/Executed a total of (\d{1,6}) cron event/.exec(output)?.[1] ?? 0)
}
