import { setTimeout as delay } from 'node:timers/promises'
import { isOfFullDisk } from '#server/platform/files/disk-space.ts'
import { msg, type LocalizedMessage } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'
import { brokenPhpExitCode } from '../child/broken-php.ts'
import { killAndWait, endProcess } from '../sandbox/process-tree.ts'
import { describeExit } from './exit-reason.ts'
import type { OverdueRequest, ProcessContext } from './process-context.ts'
import type { ScriptCalls } from './script-calls.ts'

/** How long a stop waits for running requests. */
const stopGraceMs = 3_000
/** How long the end of a process with a request that took too long waits for its others. */
const overdueGraceMs = 10_000

/** Kills the process immediately. `reason`: to display; null on request. The first reason is kept. */
export function killProcess(context: ProcessContext, reason: LocalizedMessage | null): void {
  const { child, found } = context
  if (context.endReason === undefined) context.endReason = reason
  try {
    // A sandbox ends after its process: if killed itself, it would end first.
    if (found.pid === child.pid) child.kill('SIGKILL')
    else endProcess(found)
  } catch (error) {
    context.ownError ??= error
    child.kill('SIGKILL')
  }
}

/** Kills a process that violates the protocol, and reads nothing more from it. */
export function killForViolation(context: ProcessContext, what: string): void {
  killProcess(context, msg`The site’s process was ended: it sent Easydash ${what}.`)
  for (const stream of [context.control, context.child.stderr]) stream?.destroy()
}

/** Runs a handler for this site. An error thrown in a stream or timer callback would crash the dashboard. */
export function guardProcess(context: ProcessContext, work: () => void): void {
  try {
    work()
  } catch (error) {
    context.ownError ??= error
    killProcess(
      context,
      isOfFullDisk(error)
        ? msg`The site’s process was ended: the disk of this machine has no room.`
        : msg`The site’s process was ended: Easydash could not keep track of it.`,
    )
  }
}

/** Ends the process because of a request that took too long, after the others that have begun, which it waits for briefly. */
export async function endOverdue(
  context: ProcessContext,
  overdue: OverdueRequest,
  reason: LocalizedMessage,
): Promise<void> {
  context.overdue = overdue
  const others = () => [...context.runs.values()].some(({ request }) => request !== null && request !== overdue.request)
  await untilIdle(() => !others(), overdueGraceMs)
  killProcess(context, reason)
}

/** Waits briefly for running requests, then ends the process; resolves when it is gone. */
export async function stopProcess(context: ProcessContext): Promise<void> {
  const { runs, agent } = context
  if (context.endReason === undefined) context.endReason = null
  await untilIdle(() => runs.size === 0 && Object.keys(agent.sockets).length === 0, stopGraceMs)
  killProcess(context, null)
  await context.exited.promise
}

/** Cleans up after the spawned process is gone, and fails everything that waits for it. */
export async function handleExit(
  context: ProcessContext,
  calls: ScriptCalls,
  code: number | null,
  signalName: NodeJS.Signals | null,
): Promise<void> {
  const { child, found } = context
  // If something else killed the sandbox, its process is still running.
  if (found.pid !== child.pid)
    await killAndWait(found).catch((error: unknown) => {
      context.ownError ??= error
    })
  context.agent.destroy()
  context.runs.clear()
  if (code === brokenPhpExitCode) context.endReason ??= null
  const { endReason, failure, errorTail, ownError } = context
  const reason = endReason !== undefined ? endReason : (failure ?? describeExit(code, signalName, errorTail))
  // For the log: our own error, or the last output of the process.
  const cause = ownError ?? (errorTail === '' ? undefined : new Error(errorTail))
  const error = stoppedError(reason ?? msg`The site was stopped.`, cause)
  calls.rejectAll(error)
  context.ready.reject(error)
  context.exited.resolve(reason)
}

/** The process is gone, for this reason. */
export function stoppedError(localized: LocalizedMessage, cause?: unknown): EngineError {
  return new EngineError('unavailable', localized, { retryable: true, nextAction: msg`Try again in a moment.`, cause })
}

/** Resolves when no request is running or queued, or after the grace period. */
async function untilIdle(isIdle: () => boolean, graceMs: number): Promise<void> {
  for (const deadline = performance.now() + graceMs; !isIdle() && performance.now() < deadline;) await delay(20)
}
