import type { Agent } from 'node:http'
import { msg, type LocalizedMessage } from '#shared/localized-message.ts'
import type { FilesChanged, ScriptName, ScriptResult, SignIn } from '../child/messages.ts'
import { serveOutbound } from '../outbound/gateway.ts'
import { lowerPriorityOf } from '../sandbox/process-tree.ts'
import { spawnSiteProcess, type SpawnedSite } from '../sandbox/spawn-site-process.ts'
import type { SiteStart } from '../sites/site-start.ts'
import { outputMessage } from './exit-reason.ts'
import {
  createProcessContext,
  hasExited,
  recordProcess,
  type OverdueRequest,
  type PhpRun,
  type PostMessage,
  type ProcessContext,
} from './process-context.ts'
import { endOverdue, guardProcess, handleExit, killProcess, stoppedError, stopProcess } from './process-end.ts'
import { collectErrorOutput, openProcessChannel } from './process-messages.ts'
import type { ScriptCalls } from './script-calls.ts'

/** Timeout for starting PHP, generous for a busy machine. */
const bootDeadlineMs = 45_000
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
  /** Announces a request that signs a person in. */
  signIn(announced: Omit<SignIn, 'type'>): void
  /** Changes the further hosts under which it shows the site. */
  setServed(served: readonly string[]): void
  /** Tells it which files the engine wrote. */
  filesChanged(change: Omit<FilesChanged, 'type'>): void
  /**
   * Lowers the priority below that of the dashboard and everything else. Starting and installing run at normal priority
   * because a user is waiting.
   */
  lowerPriority(): void
  /** The running PHP runs, oldest first. */
  runs(): Iterable<PhpRun>
  /** Kills the process because of a run that took too long, after the requests that have begun besides it. */
  endOverdue(overdue: OverdueRequest, reason: LocalizedMessage): void
  /** The request that ended the process by taking too long; null: none did. */
  overdue(): OverdueRequest | null
  /** Whether PHP began with a request and did not end it. */
  hasBegun(request: number): boolean
  /** Kills the process immediately; `exited` then resolves with this reason. */
  kill(reason: LocalizedMessage): void
  /** Waits briefly for running requests, then ends the process; resolves when it is gone. */
  stop(): Promise<void>
  /** Resolves when the process is gone: null after a stop, otherwise the reason to display. */
  readonly exited: Promise<LocalizedMessage | null>
}

/**
 * Starts a site's process and waits until it is ready.
 * @throws {EngineError} `unavailable` if PHP does not start; the signal's reason if aborted
 */
export async function startSiteProcess(start: SiteStart, signal?: AbortSignal): Promise<SiteProcess> {
  signal?.throwIfAborted()
  const spawned = await spawnSiteProcess(start)
  const context = createProcessContext(spawned, start)
  const { post, calls } = superviseProcess(context, spawned)
  await untilReady(context, signal)
  return createHandle(context, post, calls)
}

/** Connects everything the process may send or do, its end included, with the engine. */
function superviseProcess(
  context: ProcessContext,
  { child, outbound }: SpawnedSite,
): ReturnType<typeof openProcessChannel> {
  collectErrorOutput(context)
  const channel = openProcessChannel(context)
  const { database, isClosed } = context.start
  serveOutbound(outbound, { database, isClosed })
  // A child that can't be reached any more also exits; `exit` reports it.
  child.on('error', (error) => {
    context.failure ??= outputMessage(error.message)
  })
  child.once('exit', (code, signalName) => void handleExit(context, channel.calls, code, signalName))
  const { pid } = child
  if (pid !== undefined) guardProcess(context, () => recordProcess(context, pid))
  return channel
}

async function untilReady(context: ProcessContext, signal: AbortSignal | undefined): Promise<void> {
  const deadline = setTimeout(() => killProcess(context, msg`PHP did not start in time.`), bootDeadlineMs)
  const abort = (): void => killProcess(context, null)
  signal?.addEventListener('abort', abort)
  try {
    context.journalMode = await context.ready.promise
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  } finally {
    clearTimeout(deadline)
    signal?.removeEventListener('abort', abort)
  }
}

function createHandle(context: ProcessContext, post: PostMessage, calls: ScriptCalls): SiteProcess {
  return {
    get pid() {
      return context.found.pid
    },
    socket: context.start.socket,
    agent: context.agent,
    exited: context.exited.promise,
    journalMode: context.journalMode,
    call: async (script, input, signal) => {
      signal?.throwIfAborted()
      if (!hasExited(context)) return calls.call(script, input, signal)
      throw stoppedError(msg`The site was stopped.`)
    },
    signIn: (announced) => post({ type: 'sign-in', ...announced }),
    setOffline: (offline) => post({ type: 'offline', offline }),
    setServed: (served) => post({ type: 'served', served }),
    filesChanged: (change) => post({ type: 'files', ...change }),
    lowerPriority: () => {
      // If it is gone already, `exited` reports it.
      if (context.child.pid !== undefined && !hasExited(context)) lowerPriorityOf(context.found.pid, niceness)
    },
    runs: () => context.runs.values(),
    endOverdue: (overdue, reason) => {
      if (context.overdue !== null) return
      post({ type: 'drain' })
      void endOverdue(context, overdue, reason)
    },
    overdue: () => context.overdue,
    hasBegun: (request) => context.begun.has(request),
    kill: (reason) => killProcess(context, reason),
    stop: () => stopProcess(context),
  }
}
