import { abortError } from '#server/platform/abort-error.ts'
import { msg, type LocalizedMessage } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'
import type { FromChild, ScriptName, ScriptResult, ToChild } from '../child/messages.ts'

/**
 * Timeout of a response, the wait for PHP included. A script's own run is ended earlier by the deadline of all runs, but that relies on reports of the
 * process: a hostile one could block the periodic work of all sites.
 */
const callTimeoutMs = 3 * 60_000

/** A script of ours did not come to its end in a site's process, which answered: what keeps it from that is most likely the site's own. */
export class ScriptFailure extends EngineError {}

/** Pending calls of management scripts in a site's process. */
export interface ScriptCalls {
  /**
   * Calls a script. An abort ends the process, because PHP can't be interrupted, unless the script still waits behind other runs: nobody's
   * request is ended for it.
   */
  call(script: ScriptName, input: Record<string, unknown>, signal?: AbortSignal): Promise<ScriptResult>
  /** PHP begins with a script. */
  begin(id: number): void
  /** Handles a result; ignored if no call is waiting for it. */
  settle(message: Extract<FromChild, { type: 'result' }>): void
  /** The process is gone: pending calls fail. */
  rejectAll(error: Error): void
}

interface PendingCall {
  hasBegun: boolean
  resolve(result: ScriptResult): void
  reject(error: Error): void
}

/** What the calls of a process need of it. */
interface CallingProcess {
  post(message: ToChild): void
  /** Ends the process; null as reason if that was requested. */
  end(reason: LocalizedMessage | null): void
  /** Whether PHP is running anything. Each run has a limit of its own. */
  isRunning(): boolean
}

const busyError = () =>
  new EngineError('unavailable', msg`The site is busy with other requests.`, {
    retryable: true,
    nextAction: msg`Try again in a moment.`,
  })

/** Numbers the calls of one process and tracks the pending ones. */
export function createScriptCalls({ post, end, isRunning }: CallingProcess): ScriptCalls {
  const calls = new Map<number, PendingCall>()
  /** Calls that were given up before they began. The process is told; one that begins all the same would run unobserved. */
  const dropped = new Set<number>()
  let nextCall = 0
  return {
    call: (script, input, signal) =>
      new Promise((resolve, reject) => {
        nextCall += 1
        const id = nextCall
        const giveUp = (reason: LocalizedMessage | null): void => {
          if (pending.hasBegun || !isRunning()) return end(reason)
          calls.delete(id)
          dropped.add(id)
          post({ type: 'cancel', id })
          pending.reject(busyError())
        }
        const abort = (): void => giveUp(null)
        signal?.addEventListener('abort', abort)
        const deadline = setTimeout(
          () => giveUp(msg`The site’s process was ended: it did not answer Easydash in time.`),
          callTimeoutMs,
        ).unref()
        const forget = (): void => {
          clearTimeout(deadline)
          signal?.removeEventListener('abort', abort)
        }
        const pending: PendingCall = {
          hasBegun: false,
          resolve: (result) => {
            forget()
            resolve(result)
          },
          reject: (error) => {
            forget()
            reject(signal?.aborted === true ? abortError(signal) : error)
          },
        }
        calls.set(id, pending)
        post({ type: 'call', id, script, input })
      }),
    begin: (id) => {
      const pending = calls.get(id)
      if (pending) pending.hasBegun = true
      else if (dropped.delete(id)) end(null)
    },
    settle: (message) => {
      const pending = calls.get(message.id)
      calls.delete(message.id)
      dropped.delete(message.id)
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
