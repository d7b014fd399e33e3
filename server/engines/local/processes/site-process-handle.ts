import { Agent } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { msg, type LocalizedMessage } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'
import { brokenPhpExitCode } from '../child/broken-php.ts'
import {
  maxMessageBytes,
  parseFromChild,
  type FromChild,
  type ScriptName,
  type ScriptResult,
  type ToChild,
} from '../child/messages.ts'
import { describeExit, wordsOf } from './last-words.ts'
import { openLineChannel } from './line-channel.ts'
import { serveOutbound } from '../outbound/gateway.ts'
import { perSecond } from '../proxy/per-second.ts'
import { createScriptCalls } from './script-calls.ts'
import {
  endAndWait,
  endProcess,
  foundProcess,
  innermostProcess,
  lowerPriorityOf,
  preferForOutOfMemory,
} from '../sandbox/process-tree.ts'
import { spawnSiteProcess, type SpawnedSite } from '../sandbox/spawn-site-process.ts'
import type { SiteStart } from '../sites/site-start.ts'

/** Timeout for starting PHP, generous for a busy machine. */
const bootDeadlineMs = 45_000
/** How long a stop waits for running requests. */
const stopGraceMs = 3_000
const niceness = 10

/** The engine's handle of one awake site's process. */
export interface SiteProcess {
  readonly pid: number
  /** Unix socket of its HTTP server, and the agent with its kept-alive connections. */
  readonly socket: string
  readonly agent: Agent
  /** Journal mode of the database at the start; null if there is no database yet. */
  readonly journalMode: string | null
  /** Runs a management script. */
  call(script: ScriptName, input: Record<string, unknown>, signal?: AbortSignal): Promise<ScriptResult>
  setOffline(offline: boolean): void
  /**
   * Lowers the priority below that of the dashboard and everything else. Starting and installing run at normal priority
   * because a user is waiting.
   */
  lowerPriority(): void
  /** Start of the oldest running PHP run (`performance.now()`); null: none is running. */
  oldestRun(): number | null
  /** Kills the process immediately; `exited` then resolves with this reason. */
  kill(reason: LocalizedMessage): void
  /** Waits briefly for running requests, then ends the process; resolves when it is gone. */
  stop(): Promise<void>
  /** Resolves when the process is gone: null after a stop, otherwise the reason to display. */
  readonly exited: Promise<LocalizedMessage | null>
}

/** Grace period for a process that closed its channel. */
const endGraceMs = 1_000
/** Maximum messages of a site's process per second; a request sends two. */
const maxMessagesPerSecond = 5_000
/** Maximum bytes of messages per second. Normal sites send a few kilobytes. */
const maxBytesPerSecond = 1024 * 1024
/** Maximum bytes of error output per second; PHP's errors go to the site's log. */
const maxErrorBytesPerSecond = 1024 * 1024
/** Concurrent PHP runs, more than any site's process has. */
const maxRuns = 100
/** Number of characters kept of its error output. */
const maxLastWords = 2_000

/**
 * Starts a site's process and waits until it is ready.
 * @throws {EngineError} `unavailable` if PHP does not start; the signal's reason if aborted
 */
export async function startSiteProcess(start: SiteStart, signal?: AbortSignal): Promise<SiteProcess> {
  signal?.throwIfAborted()
  const handle = createHandle(await spawnSiteProcess(start), start)
  await handle.started(signal)
  return handle
}

interface Handle extends SiteProcess {
  started(signal: AbortSignal | undefined): Promise<void>
}

function createHandle({ child, control, outbound }: SpawnedSite, { boot, socket, notes }: SiteStart): Handle {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 8 })
  const runs = new Map<number, number>()
  const ready = Promise.withResolvers<string | null>()
  let ending: LocalizedMessage | null | undefined
  let failure: LocalizedMessage | null = null
  let lastWords = ''
  let journalMode: string | null = null
  let greeted = false
  /** An error in our own process while handling the site's. */
  let trouble: unknown
  /** The site's process itself, which with a sandbox is a descendant of the one that was started. */
  let found = foundProcess(child.pid ?? 0)

  const end = (reason: LocalizedMessage | null): void => {
    if (ending === undefined) ending = reason
    try {
      // A sandbox ends after its process: if killed itself, it would end first.
      if (found.pid === child.pid) child.kill('SIGKILL')
      else endProcess(found)
    } catch (error) {
      trouble ??= error
      child.kill('SIGKILL')
    }
  }
  const violated = (what: string): void => {
    end(msg`The site’s process was ended: it sent Easydash ${what}.`)
    for (const stream of [control, child.stderr]) stream?.destroy()
  }
  /** Runs a handler for this site. An error thrown in a stream or timer callback would crash the dashboard. */
  const guarded = (work: () => void): void => {
    try {
      work()
    } catch (error) {
      trouble ??= error
      end(msg`The site’s process was ended: Easydash could not keep track of it.`)
    }
  }

  const mayComplain = perSecond(maxErrorBytesPerSecond)
  child.stderr?.on('data', (chunk: Buffer) => {
    // Small chunks cost as much as larger ones.
    if (!mayComplain(Math.max(chunk.length, 256)))
      violated(`more than ${maxErrorBytesPerSecond} bytes of error output a second`)
    else lastWords = (lastWords + chunk.subarray(-maxLastWords).toString('utf8')).slice(-maxLastWords)
  })

  const onMessage = (message: FromChild): void => {
    switch (message.type) {
      case 'hello': {
        if (child.pid === undefined) return
        // Each one requires a scan of all processes on the machine.
        if (greeted) {
          violated('a second greeting')
          return
        }
        greeted = true
        found = foundProcess(innermostProcess(child.pid))
        preferForOutOfMemory(found.pid)
        // Before it receives code to run: until then it detects the end of its engine itself.
        if (found.pid !== child.pid) note(found.pid)
        post(boot)
        return
      }
      case 'ready':
        ready.resolve(message.journalMode)
        return
      case 'failed':
        failure = wordsOf(message.reason)
        return
      case 'run-start':
        runs.set(message.run, performance.now())
        if (runs.size > maxRuns) violated('more requests than there were')
        return
      case 'run-end':
        runs.delete(message.run)
        return
      case 'result':
        calls.settle(message)
    }
  }
  const { send: post } = openLineChannel<FromChild, ToChild>(control, {
    maxLineBytes: maxMessageBytes,
    maxPerSecond: maxMessagesPerSecond,
    maxBytesPerSecond,
    parse: parseFromChild,
    onMessage: (message) => guarded(() => onMessage(message)),
    onViolation: violated,
    // It is ending, or closed the channel to continue unobserved.
    onEnd: () => void setTimeout(() => guarded(() => endProcess(found)), endGraceMs).unref(),
  })
  serveOutbound(outbound)
  const calls = createScriptCalls(post, end)

  const note = (noted: number): void => {
    notes.add(noted)
    void exited.then(() => notes.remove(noted))
  }

  // A child that can't be reached any more also exits; `exit` reports it.
  child.on('error', (error) => {
    failure ??= wordsOf(error.message)
  })

  const exited = new Promise<LocalizedMessage | null>((resolve) => {
    const gone = async (code: number | null, signalName: NodeJS.Signals | null): Promise<void> => {
      // If something else killed the sandbox, its process is still running.
      if (found.pid !== child.pid)
        await endAndWait(found).catch((error: unknown) => {
          trouble ??= error
        })
      agent.destroy()
      runs.clear()
      if (code === brokenPhpExitCode) ending ??= null
      const reason = ending !== undefined ? ending : (failure ?? describeExit(code, signalName, lastWords))
      // For the log: our own error, or the last output of the process.
      const cause = trouble ?? (lastWords === '' ? undefined : new Error(lastWords))
      const error = stopped(reason ?? msg`The site was stopped.`, cause)
      calls.rejectAll(error)
      ready.reject(error)
      resolve(reason)
    }
    child.once('exit', (code, signalName) => void gone(code, signalName))
  })
  ready.promise.catch(() => undefined)

  const { pid } = child
  if (pid !== undefined) guarded(() => note(pid))

  return {
    get pid() {
      return found.pid
    },
    socket,
    agent,
    exited,
    get journalMode() {
      return journalMode
    },
    started: async (signal) => {
      const deadline = setTimeout(() => end(msg`PHP did not start in time.`), bootDeadlineMs)
      const abort = (): void => end(null)
      signal?.addEventListener('abort', abort)
      try {
        journalMode = await ready.promise
      } catch (error) {
        signal?.throwIfAborted()
        throw error
      } finally {
        clearTimeout(deadline)
        signal?.removeEventListener('abort', abort)
      }
    },
    call: async (script, input, signal) => {
      signal?.throwIfAborted()
      if (child.exitCode === null && child.signalCode === null) return calls.call(script, input, signal)
      throw stopped(msg`The site was stopped.`)
    },
    setOffline: (offline) => post({ type: 'offline', offline }),
    lowerPriority: () => {
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
      // If it is gone already, `exited` reports it.
      lowerPriorityOf(found.pid, niceness)
    },
    oldestRun: () => runs.values().next().value ?? null,
    kill: (reason) => end(reason),
    stop: async () => {
      if (ending === undefined) ending = null
      await untilIdle(() => runs.size === 0 && Object.keys(agent.sockets).length === 0)
      end(null)
      await exited
    },
  }
}

function stopped(localized: LocalizedMessage, cause?: unknown): EngineError {
  return new EngineError('unavailable', localized, { retryable: true, nextAction: msg`Try again in a moment.`, cause })
}

/** Resolves when no request is running or queued, or after the grace period. */
async function untilIdle(isIdle: () => boolean): Promise<void> {
  for (const deadline = performance.now() + stopGraceMs; !isIdle() && performance.now() < deadline;) await delay(20)
}
