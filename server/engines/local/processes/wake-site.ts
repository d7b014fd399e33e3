import { msg, type LocalizedMessage } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'
import { abortable } from '../abortable.ts'
import { entryOf, siteStoppedError, type AwakeContext, type AwakeEntry } from './awake-context.ts'
import { assertNotBlocked, recordBreak, recordCrash, type Crash } from './site-crashes.ts'
import { startSiteProcess, type SiteProcess } from './site-process-handle.ts'
import { killLeftoverProcesses, evictIdleSites } from './sleep-site.ts'

/** After this time a slow start no longer blocks others: the site's code can prolong it, e.g. with a database journal. */
const defaultStartTimeoutMs = 5_000

/** Returns the site's process; starts it if it sleeps. Concurrent callers share one start. Doesn't count as use. */
export async function wakeSite(context: AwakeContext, id: string, signal?: AbortSignal): Promise<SiteProcess> {
  if (context.isStopped) throw siteStoppedError()
  context.options.assertMayRun(id)
  const entry = entryOf(context, id)
  if (entry.process !== null) return entry.process
  if (entry.starting !== null) return entry.starting
  assertNotBlocked(context, entry)
  entry.starting = start(context, entry, signal)
  try {
    return await entry.starting
  } catch (error) {
    if (signal?.aborted !== true && !entry.abort.signal.aborted) {
      const reason = error instanceof EngineError ? error.localized : msg`The site could not be started.`
      handleCrash(context, entry, reason, { error, isAwaited: false })
    }
    throw error
  } finally {
    entry.starting = null
  }
}

async function start(context: AwakeContext, entry: AwakeEntry, signal: AbortSignal | undefined): Promise<SiteProcess> {
  const { options, cleanups } = context
  const { id } = entry
  const either = signal === undefined ? entry.abort.signal : AbortSignal.any([signal, entry.abort.signal])
  // Processes that could not be ended are retried, and if that fails the start fails with its reason.
  await cleanups.get(id)?.catch(() => killLeftoverProcesses(context, id, () => Promise.resolve(null)))
  for (let pause = context.pauses.get(id); pause !== undefined; pause = context.pauses.get(id))
    await abortable(pause.end.promise, either)
  await options.prepare(id, either)
  const turn = context.gate
  const done = Promise.withResolvers<void>()
  context.gate = done.promise
  try {
    await turn
    if (entry.abort.signal.aborted) throw siteStoppedError()
    await evictIdleSites(context, id)
    if (entry.abort.signal.aborted) throw siteStoppedError()
    const process = await startProcess(context, entry, either, done.resolve)
    // It counts toward the maximum while others continue.
    entry.isSlow = true
    done.resolve()
    try {
      await options.complete(id, process, either)
    } catch (error) {
      await process.stop()
      throw error
    } finally {
      entry.isSlow = false
    }
    if (entry.abort.signal.aborted) {
      await process.stop()
      throw siteStoppedError()
    }
    if (!options.isUrgent(id)) process.lowerPriority()
    entry.process = process
    entry.reason = null
    void process.exited.then((reason) => handleExit(context, entry, process, reason))
    options.onEvent({ id, event: 'wake', reason: null })
    return process
  } finally {
    done.resolve()
  }
}

/** `onSlow` is called if the start takes so long that others should continue. */
async function startProcess(
  { options }: AwakeContext,
  entry: AwakeEntry,
  signal: AbortSignal,
  onSlow: () => void,
): Promise<SiteProcess> {
  const startTimer = setTimeout(() => {
    entry.isSlow = true
    onSlow()
  }, options.startTimeoutMs ?? defaultStartTimeoutMs)
  try {
    return await startSiteProcess({ ...(await options.boot(entry.id)), notes: options.notes }, signal)
  } finally {
    clearTimeout(startTimer)
    entry.isSlow = false
  }
}

/** The process of an awake site is gone. `reason`: of a crash; null: it was stopped, or PHP broke. */
function handleExit(
  context: AwakeContext,
  entry: AwakeEntry,
  process: SiteProcess,
  reason: LocalizedMessage | null,
): void {
  if (entry.process !== process) return
  entry.process = null
  // The next start waits for it, and reports a failure.
  killLeftoverProcesses(context, entry.id, () => Promise.resolve(process.pid)).catch(() => undefined)
  if (reason !== null) handleCrash(context, entry, reason, { isAwaited: process.overdue() !== null })
  else if (recordBreak(context, entry))
    handleCrash(
      context,
      entry,
      msg`PHP broke off in the middle of a page again and again. The error log of the site says where.`,
      { isAwaited: false },
    )
  else context.options.onEvent({ id: entry.id, event: 'sleep', reason: null })
}

/** Records a crash and schedules the restart. */
function handleCrash(context: AwakeContext, entry: AwakeEntry, reason: LocalizedMessage, crash: Crash): void {
  const delayMs = recordCrash(context, entry, reason, crash)
  if (delayMs === null || context.isStopped) return
  entry.restart = setTimeout(() => {
    entry.restart = null
    // Its failure is recorded like any crash; nobody waits for this start.
    if (context.entries.get(entry.id) === entry && !context.isStopped)
      wakeSite(context, entry.id).catch(() => undefined)
  }, delayMs)
  entry.restart.unref()
}
