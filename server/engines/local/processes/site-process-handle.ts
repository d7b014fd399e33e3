import { Agent } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { say, type Sentence } from '#shared/sentence.ts'
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

/** Longest start of PHP, with much room for a busy machine. */
const bootDeadlineMs = 45_000
/** How long a stop waits for requests under way. */
const stopGraceMs = 3_000
const niceness = 10

/** The engine's side of one awake site's process. */
export interface SiteProcess {
  readonly pid: number
  /** Unix socket its HTTP server listens on, and the connections kept open to it. */
  readonly socket: string
  readonly agent: Agent
  /** Journal mode of the database at the start; null when there is none yet. */
  readonly journalMode: string | null
  /** Runs a management script. */
  call(script: ScriptName, input: Record<string, unknown>, signal?: AbortSignal): Promise<ScriptResult>
  setOffline(offline: boolean): void
  /** From now on the dashboard and everything else goes first. Starting and installing run at normal priority: somebody waits. */
  lowerPriority(): void
  /** Milliseconds (of `performance.now()`) since when the oldest PHP run lasts; null: none runs. */
  oldestRun(): number | null
  /** Kills the process at once; `exited` then resolves with this reason. */
  kill(reason: Sentence): void
  /** Lets running requests end for a moment, then ends the process; resolves when it is gone. */
  stop(): Promise<void>
  /** Resolves when the process is gone: null after a stop, else why it ended, for people. */
  readonly exited: Promise<Sentence | null>
}

/** How long a process that closed its channel may take to end. */
const endGraceMs = 1_000
/** Most messages of a site's process in a second; a request makes two. */
const maxMessagesPerSecond = 5_000
/** Most bytes of them in a second. Honest ones are a few kilobytes. */
const maxBytesPerSecond = 1024 * 1024
/** Most bytes of error output in a second; what PHP reports goes to the site's log. */
const maxErrorBytesPerSecond = 1024 * 1024
/** More PHP runs at once than any site's process has. */
const maxRuns = 100
/** Most characters that are kept of its error output. */
const maxLastWords = 2_000

/**
 * Starts a site's process and waits until it answers.
 * @throws {EngineError} `unavailable` when PHP does not start; the signal's reason when aborted
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
  let ending: Sentence | null | undefined
  let failure: Sentence | null = null
  let lastWords = ''
  let journalMode: string | null = null
  let greeted = false
  /** What failed in this process of ours because of the site's. */
  let trouble: unknown
  /** The process itself, which a sandbox puts below the one that was started. */
  let found = foundProcess(child.pid ?? 0)

  const end = (reason: Sentence | null): void => {
    if (ending === undefined) ending = reason
    try {
      // A sandbox ends after its process: killed itself, it would be gone first.
      if (found.pid === child.pid) child.kill('SIGKILL')
      else endProcess(found)
    } catch (error) {
      trouble ??= error
      child.kill('SIGKILL')
    }
  }
  const violated = (what: string): void => {
    end(say`The site’s process was ended: it sent Easydash ${what}.`)
    for (const stream of [control, child.stderr]) stream?.destroy()
  }
  /** Work for this site. Called by a stream or a timer, it would end the dashboard by what it throws. */
  const guarded = (work: () => void): void => {
    try {
      work()
    } catch (error) {
      trouble ??= error
      end(say`The site’s process was ended: Easydash could not keep track of it.`)
    }
  }

  const mayComplain = perSecond(maxErrorBytesPerSecond)
  child.stderr?.on('data', (chunk: Buffer) => {
    // Small pieces cost as much as larger ones.
    if (!mayComplain(Math.max(chunk.length, 256)))
      violated(`more than ${maxErrorBytesPerSecond} bytes of error output a second`)
    else lastWords = (lastWords + chunk.subarray(-maxLastWords).toString('utf8')).slice(-maxLastWords)
  })

  const onMessage = (message: FromChild): void => {
    switch (message.type) {
      case 'hello': {
        if (child.pid === undefined) return
        // Each one costs a look at all processes of the machine.
        if (greeted) {
          violated('a second greeting')
          return
        }
        greeted = true
        found = foundProcess(innermostProcess(child.pid))
        preferForOutOfMemory(found.pid)
        // Before it is told what to run: until then it notices the end of its engine by itself.
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
    // It is ending, or closed the channel to go on unseen.
    onEnd: () => void setTimeout(() => guarded(() => endProcess(found)), endGraceMs).unref(),
  })
  serveOutbound(outbound)
  const calls = createScriptCalls(post, end)

  const note = (noted: number): void => {
    notes.add(noted)
    void exited.then(() => notes.remove(noted))
  }

  // A child that cannot be reached any more also exits; `exit` tells.
  child.on('error', (error) => {
    failure ??= wordsOf(error.message)
  })

  const exited = new Promise<Sentence | null>((resolve) => {
    const gone = async (code: number | null, signalName: NodeJS.Signals | null): Promise<void> => {
      // A sandbox that was killed by something else leaves its process.
      if (found.pid !== child.pid)
        await endAndWait(found).catch((error: unknown) => {
          trouble ??= error
        })
      agent.destroy()
      runs.clear()
      if (code === brokenPhpExitCode) ending ??= null
      const reason = ending !== undefined ? ending : (failure ?? describeExit(code, signalName, lastWords))
      // For the log: what failed here, or what the process itself said at its end.
      const cause = trouble ?? (lastWords === '' ? undefined : new Error(lastWords))
      const error = stopped(reason ?? say`The site was stopped.`, cause)
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
      const deadline = setTimeout(() => end(say`PHP did not start in time.`), bootDeadlineMs)
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
      throw stopped(say`The site was stopped.`)
    },
    setOffline: (offline) => post({ type: 'offline', offline }),
    lowerPriority: () => {
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
      // One that is gone in this moment is told by `exited`.
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

function stopped(sentence: Sentence, cause?: unknown): EngineError {
  return new EngineError('unavailable', sentence, { retryable: true, nextAction: say`Try again in a moment.`, cause })
}

/** Resolves when nothing is under way, requests that wait for their turn included, or after the grace period. */
async function untilIdle(isIdle: () => boolean): Promise<void> {
  for (const deadline = performance.now() + stopGraceMs; !isIdle() && performance.now() < deadline;) await delay(20)
}
