import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { Agent } from 'node:http'
import { constants, setPriority } from 'node:os'
import { foreign, say, type Sentence } from '#shared/sentence.ts'
import { EngineError } from '../engine.ts'
import {
  maxMessageBytes,
  parseFromChild,
  type BootMessage,
  type FromChild,
  type ScriptName,
  type ScriptResult,
  type ToChild,
} from './child/messages.ts'
import { openLineChannel } from './line-channel.ts'
import { serveOutbound } from './outbound/gateway.ts'
import type { ProcessNotes } from './process-notes.ts'
import { endAndWait, endProcess, foundProcess, innermostProcess, preferForOutOfMemory } from './sandbox/process-tree.ts'
import type { Sandbox } from './sandbox/sandbox.ts'
import { spawnSiteProcess, type SpawnedSite } from './sandbox/spawn-site-process.ts'

/** Longest start of PHP, with much room for a busy machine. */
const bootDeadlineMs = 45_000
/** How long a stop waits for running requests. */
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
/** More PHP runs at once than any site's process has. */
const maxRuns = 100

/** How a site's process is started. */
export interface SiteStart {
  boot: BootMessage
  /** Folder of the site: `www/`, `logs/` and `outbox/` in it are all that its process can write. */
  folder: string
  /** Path of the unix socket its HTTP server is to answer on. */
  socket: string
  notes: ProcessNotes
  sandbox: Sandbox
  /** Further arguments of Node, for tests. */
  nodeArguments: readonly string[]
}

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

interface PendingCall {
  resolve(result: ScriptResult): void
  reject(error: Error): void
}

function createHandle({ child, control, outbound }: SpawnedSite, { boot, socket, notes }: SiteStart): Handle {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 8 })
  const runs = new Map<number, number>()
  const calls = new Map<number, PendingCall>()
  const ready = Promise.withResolvers<string | null>()
  const idle = new Set<() => void>()
  let nextCall = 0
  let ending: Sentence | null | undefined
  let failure: Sentence | null = null
  let lastWords = ''
  let journalMode: string | null = null
  /** The process itself, which a sandbox puts below the one that was started. */
  let found = foundProcess(child.pid ?? 0)

  child.stderr?.on('data', (chunk: Buffer) => {
    lastWords = (lastWords + chunk.toString('utf8')).slice(-2_000)
  })

  const end = (reason: Sentence | null): void => {
    if (ending === undefined) ending = reason
    // A sandbox ends after its process: killed itself, it would be gone first.
    if (found.pid === child.pid) child.kill('SIGKILL')
    else endProcess(found)
  }
  const violated = (what: string): void => end(say`The site’s process was ended: it sent Easydash ${what}.`)

  const onMessage = (message: FromChild): void => {
    switch (message.type) {
      case 'hello': {
        if (child.pid === undefined || found.pid !== child.pid) return
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
        if (runs.size === 0) for (const notify of idle) notify()
        return
      case 'result':
        settle(message)
    }
  }
  const settle = (message: Extract<FromChild, { type: 'result' }>): void => {
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
  }
  const { send: post } = openLineChannel<FromChild, ToChild>(control, {
    maxLineBytes: maxMessageBytes,
    maxPerSecond: maxMessagesPerSecond,
    parse: parseFromChild,
    onMessage,
    onViolation: violated,
    // It is ending, or closed the channel to go on unseen.
    onEnd: () => void setTimeout(() => endProcess(found), endGraceMs).unref(),
  })
  serveOutbound(outbound)

  const note = (noted: number): void => {
    try {
      notes.add(noted)
    } catch (error) {
      end(null)
      throw error
    }
    void exited.then(() => notes.remove(noted))
  }

  // A child that cannot be reached any more also exits; `exit` tells.
  child.on('error', (error) => {
    failure ??= wordsOf(error.message)
  })

  const exited = new Promise<Sentence | null>((resolve) => {
    const gone = async (code: number | null, signalName: NodeJS.Signals | null): Promise<void> => {
      // A sandbox that was killed by something else leaves its process.
      if (found.pid !== child.pid) await endAndWait(found)
      agent.destroy()
      runs.clear()
      for (const notify of idle) notify()
      const reason = ending !== undefined ? ending : (failure ?? describeExit(code, signalName, lastWords))
      const error = new EngineError('unavailable', reason ?? say`The site was stopped.`, {
        retryable: true,
        nextAction: say`Try again in a moment.`,
        // For the log: what the process itself said at its end.
        cause: lastWords === '' ? undefined : new Error(lastWords),
      })
      for (const pending of calls.values()) pending.reject(error)
      calls.clear()
      ready.reject(error)
      resolve(reason)
    }
    child.once('exit', (code, signalName) => void gone(code, signalName))
  })
  ready.promise.catch(() => undefined)

  if (child.pid !== undefined) note(child.pid)

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
    call: (script, input, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted === true) {
          reject(signal.reason as Error)
          return
        }
        if (child.exitCode !== null || child.signalCode !== null) {
          reject(
            new EngineError('unavailable', say`The site was stopped.`, {
              retryable: true,
              nextAction: say`Try again in a moment.`,
            }),
          )
          return
        }
        nextCall += 1
        const id = nextCall
        // PHP cannot be interrupted: a cancelled call ends the process.
        const abort = (): void => end(null)
        signal?.addEventListener('abort', abort)
        const forget = (): void => signal?.removeEventListener('abort', abort)
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
    setOffline: (offline) => post({ type: 'offline', offline }),
    lowerPriority: () => {
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
      try {
        setPriority(found.pid, niceness)
      } catch (error) {
        // Gone in this moment; `exited` tells.
        if (!/ESRCH|EPERM|EACCES/.test(String(error))) throw error
      }
    },
    oldestRun: () => runs.values().next().value ?? null,
    kill: (reason) => end(reason),
    stop: async () => {
      if (ending === undefined) ending = null
      if (runs.size > 0) await waitForIdle(idle)
      end(null)
      await exited
    },
  }
}

/** Resolves when no run is left, or after the grace period. */
function waitForIdle(idle: Set<() => void>): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      idle.delete(done)
      resolve()
    }
    const timer = setTimeout(done, stopGraceMs)
    idle.add(done)
  })
}

/** What the process itself said, for people: short, and without the names of files of this machine. */
function wordsOf(said: string): Sentence {
  return foreign(said.replaceAll(/'\/[^']*'/g, '…').slice(0, 300))
}

function describeExit(code: number | null, signalName: NodeJS.Signals | null, lastWords: string): Sentence {
  // A sandbox reports its process's signal in its own exit code.
  if (signalName === 'SIGKILL' || code === 128 + constants.signals.SIGKILL)
    return say`The system killed the site’s process, probably for lack of memory.`
  if (/out of memory|heap limit/i.test(lastWords)) return say`The site’s process ran out of memory.`
  if (signalName !== null) return say`The site’s process ended unexpectedly (${signalName}).`
  return say`The site’s process ended unexpectedly (exit code ${code ?? 0}).`
}

/** Memory a process really uses, in MB; null when it is gone. */
export async function residentMb(pid: number): Promise<number | null> {
  if (process.platform === 'linux') {
    try {
      const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'latin1'))?.[1]
      // A process that has just ended has no memory left to tell of.
      return kilobytes === undefined ? null : Number(kilobytes) / 1024
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code
      if (code === 'ENOENT' || code === 'ESRCH') return null
      throw error
    }
  }
  return new Promise((resolve) => {
    execFile('ps', ['-o', 'rss=', '-p', String(pid)], (error, output) =>
      resolve(error === null ? Number(output) / 1024 : null),
    )
  })
}
