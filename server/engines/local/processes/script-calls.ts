import { abortError } from '#server/platform/abort-error.ts'
import { msg, type LocalizedMessage } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'
import type { FromChild, ScriptName, ScriptResult, ToChild } from '../child/messages.ts'

/**
 * Timeout of a response. A script's own run is ended earlier by the deadline of all runs, but that relies on reports of the
 * process: a hostile one could block the periodic work of all sites.
 */
const callTimeoutMs = 3 * 60_000

/** A script of ours did not come to its end in a site's process, which answered: what keeps it from that is most likely the site's own. */
export class ScriptFailure extends EngineError {}

/** Pending calls of management scripts in a site's process. */
export interface ScriptCalls {
  /** Calls a script. An abort ends the process: PHP can't be interrupted. */
  call(script: ScriptName, input: Record<string, unknown>, signal?: AbortSignal): Promise<ScriptResult>
  /** Handles a result; ignored if no call is waiting for it. */
  settle(message: Extract<FromChild, { type: 'result' }>): void
  /** The process is gone: pending calls fail. */
  rejectAll(error: Error): void
}

interface PendingCall {
  resolve(result: ScriptResult): void
  reject(error: Error): void
}

/**
 * Numbers the calls of one process and tracks the pending ones.
 * @param endProcess ends the process; null as reason if that was requested
 * @param isBehind whether a run that began before this moment (`performance.now()`) and may take longer than a call is still going on
 */
export function createScriptCalls(
  post: (message: ToChild) => void,
  endProcess: (reason: LocalizedMessage | null) => void,
  isBehind: (since: number) => boolean,
): ScriptCalls {
  const calls = new Map<number, PendingCall>()
  let nextCall = 0
  return {
    call: (script, input, signal) =>
      new Promise((resolve, reject) => {
        nextCall += 1
        const id = nextCall
        const abort = (): void => endProcess(null)
        signal?.addEventListener('abort', abort)
        const begun = performance.now()
        const end = (): void => endProcess(msg`The site’s process was ended: it did not answer Easydash in time.`)
        // A long request in wp-admin, an import for example, is not ended by a call that waits for it. It has a limit of its own.
        const arm = (): NodeJS.Timeout =>
          setTimeout(() => {
            if (isBehind(begun)) deadline = arm()
            else end()
          }, callTimeoutMs).unref()
        let deadline = arm()
        const forget = (): void => {
          clearTimeout(deadline)
          signal?.removeEventListener('abort', abort)
        }
        calls.set(id, {
          resolve: (result) => {
            forget()
            resolve(result)
          },
          reject: (error) => {
            forget()
            reject(signal?.aborted === true ? abortError(signal) : error)
          },
        })
        post({ type: 'call', id, script, input })
      }),
    settle: (message) => {
      const pending = calls.get(message.id)
      calls.delete(message.id)
      if (message.ok) pending?.resolve(message.result)
      else
        pending?.reject(
          new ScriptFailure('unavailable', msg`The site could not do it: ${message.reason}`, {
            retryable: true,
            nextAction: msg`Look at the error log of the site.`,
          }),
        )
    },
    rejectAll: (error) => {
      for (const pending of calls.values()) pending.reject(error)
      calls.clear()
    },
  }
}
