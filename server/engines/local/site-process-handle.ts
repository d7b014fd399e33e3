import { execFile, fork, type ChildProcess } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { Agent } from 'node:http'
import { setPriority } from 'node:os'
import { foreign, say, type Sentence } from '#shared/sentence.ts'
import { EngineError } from '../engine.ts'
import type { BootMessage, FromChild, ScriptName, ScriptResult, ToChild } from './child/messages.ts'
import type { ProcessNotes } from './process-notes.ts'

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

/**
 * Starts a site's process and waits until it answers.
 * @throws {EngineError} `unavailable` when PHP does not start; the signal's reason when aborted
 */
export async function startSiteProcess(
  boot: BootMessage,
  notes: ProcessNotes,
  signal?: AbortSignal,
): Promise<SiteProcess> {
  signal?.throwIfAborted()
  const child = fork(new URL('./child/site-process.ts', import.meta.url), [], {
    // The baseline compiler alone: 55 MB less per site for 5 to 10 % slower pages.
    execArgv: ['--liftoff-only', '--disable-warning=ExperimentalWarning', '--disable-warning=DEP0111'],
    // Nothing of our environment: it holds the database's address and keys.
    env: {},
    cwd: '/',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    // An own session: Ctrl+C in the terminal reaches the engine only, which then stops its children in order.
    detached: true,
  })
  const handle = createHandle(child, boot.socket)
  const { pid } = child
  if (pid !== undefined) {
    // Before it is told what to run: until then it notices the end of its engine by itself.
    try {
      notes.add(pid)
    } catch (error) {
      child.kill('SIGKILL')
      throw error
    }
    void handle.exited.then(() => notes.remove(pid))
  }
  await handle.started(boot, signal)
  return handle
}

interface Handle extends SiteProcess {
  started(boot: BootMessage, signal: AbortSignal | undefined): Promise<void>
}

interface PendingCall {
  resolve(result: ScriptResult): void
  reject(error: Error): void
}

function createHandle(child: ChildProcess, socket: string): Handle {
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

  child.stderr?.on('data', (chunk: Buffer) => {
    lastWords = (lastWords + chunk.toString('utf8')).slice(-2_000)
  })
  child.on('message', (message: FromChild) => {
    if (message.type === 'ready') ready.resolve(message.journalMode)
    if (message.type === 'failed') failure = wordsOf(message.reason)
    if (message.type === 'run-start') runs.set(message.run, performance.now())
    if (message.type === 'run-end') {
      runs.delete(message.run)
      if (runs.size === 0) for (const notify of idle) notify()
    }
    if (message.type !== 'result') return
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
  })
  // A child that cannot be reached any more also exits; `exit` tells.
  child.on('error', (error) => {
    failure ??= wordsOf(error.message)
  })

  const exited = new Promise<Sentence | null>((resolve) => {
    child.once('exit', (code, signalName) => {
      agent.destroy()
      runs.clear()
      for (const notify of idle) notify()
      const reason = ending !== undefined ? ending : (failure ?? describeExit(code, signalName, lastWords))
      const gone = new EngineError('unavailable', reason ?? say`The site was stopped.`, {
        retryable: true,
        nextAction: say`Try again in a moment.`,
        // For the log: what the process itself said at its end.
        cause: lastWords === '' ? undefined : new Error(lastWords),
      })
      for (const pending of calls.values()) pending.reject(gone)
      calls.clear()
      ready.reject(gone)
      resolve(reason)
    })
  })
  ready.promise.catch(() => undefined)

  const end = (reason: Sentence | null): void => {
    if (ending === undefined) ending = reason
    child.kill('SIGKILL')
  }
  const post = (message: ToChild): void => {
    // The callback form does not throw on a channel that just closed; `exit` settles everything then.
    if (child.connected) child.send(message, () => undefined)
  }

  return {
    get pid() {
      return child.pid ?? 0
    },
    socket,
    agent,
    exited,
    get journalMode() {
      return journalMode
    },
    started: async (boot, signal) => {
      const deadline = setTimeout(() => end(say`PHP did not start in time.`), bootDeadlineMs)
      const abort = (): void => end(null)
      signal?.addEventListener('abort', abort)
      try {
        post(boot)
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
        if (child.exitCode !== null || child.signalCode !== null || !child.connected) {
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
        const settle = (): void => signal?.removeEventListener('abort', abort)
        calls.set(id, {
          resolve: (result) => {
            settle()
            resolve(result)
          },
          reject: (error) => {
            settle()
            reject(signal?.aborted === true ? (signal.reason as Error) : error)
          },
        })
        post({ type: 'call', id, script, input })
      }),
    setOffline: (offline) => post({ type: 'offline', offline }),
    lowerPriority: () => {
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
      try {
        setPriority(child.pid, niceness)
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
      child.kill('SIGKILL')
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
  if (signalName === 'SIGKILL') return say`The system killed the site’s process, probably for lack of memory.`
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
