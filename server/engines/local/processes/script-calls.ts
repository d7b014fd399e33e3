import { say, type Sentence } from '#shared/sentence.ts'
import { EngineError } from '../../engine.ts'
import type { FromChild, ScriptName, ScriptResult, ToChild } from '../child/messages.ts'

/**
 * Longest wait for an answer. A script's own run ends earlier by the deadline of all runs, which counts only what the
 * process tells of: a hostile one would keep the regular work of all sites waiting.
 */
const answerWithinMs = 3 * 60_000

/** Management scripts that a site's process was asked to run, and what became of them. */
export interface ScriptCalls {
  /** Asks for a script. An abort ends the process: PHP cannot be interrupted. */
  call(script: ScriptName, input: Record<string, unknown>, signal?: AbortSignal): Promise<ScriptResult>
  /** Takes a result; one that nobody waits for is nothing. */
  settle(message: Extract<FromChild, { type: 'result' }>): void
  /** The process is gone: nothing is answered any more. */
  rejectAll(error: Error): void
}

interface PendingCall {
  resolve(result: ScriptResult): void
  reject(error: Error): void
}

/**
 * Numbers the calls of one process and keeps who waits for them.
 * @param endProcess ends the process, for a reason or because its end was asked for
 */
export function createScriptCalls(
  post: (message: ToChild) => void,
  endProcess: (reason: Sentence | null) => void,
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
        const deadline = setTimeout(
          () => endProcess(say`The site’s process was ended: it did not answer Easydash in time.`),
          answerWithinMs,
        ).unref()
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
            reject(signal?.aborted === true ? (signal.reason as Error) : error)
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
          new EngineError('unavailable', say`The site could not do it: ${message.reason}`, {
            retryable: true,
            nextAction: say`Look at the error log of the site.`,
          }),
        )
    },
    rejectAll: (error) => {
      for (const pending of calls.values()) pending.reject(error)
      calls.clear()
    },
  }
}
