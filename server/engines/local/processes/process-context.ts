import { Agent } from 'node:http'
import type { LocalizedMessage } from '#shared/localized-message.ts'
import type { ToChild } from '../child/messages.ts'
import { foundProcess, type FoundProcess } from '../sandbox/process-tree.ts'
import type { SpawnedSite } from '../sandbox/spawn-site-process.ts'
import type { SiteStart } from '../sites/site-start.ts'

/** A run of PHP. */
export interface PhpRun {
  /** `performance.now()` at its start. */
  readonly since: number
  /** The request that it answers; null: a management script, or a request of the site to itself. */
  readonly request: number | null
  /** Somebody who is signed in to wp-admin waits for it. */
  isAdmin: boolean
}

/** A request that took too long. */
export interface OverdueRequest {
  readonly request: number | null
  readonly seconds: number
}

/** What the engine knows about one running site process. */
export interface ProcessContext extends Pick<SpawnedSite, 'child' | 'control'> {
  readonly start: SiteStart
  /** Kept-alive connections to its HTTP server. */
  readonly agent: Agent
  /** Running PHP runs, oldest first. */
  readonly runs: Map<number, PhpRun>
  /** Requests whose run has begun and not ended; when the process is gone, those that it had begun. */
  readonly begun: Set<number>
  /** The request that ended the process by taking too long. */
  overdue: OverdueRequest | null
  /** Resolves with the journal mode of its database when PHP is ready; rejects if the process ends before. */
  readonly ready: PromiseWithResolvers<string | null>
  /** Resolves when the process is gone: null after a requested stop, otherwise the reason to display. */
  readonly exited: PromiseWithResolvers<LocalizedMessage | null>
  /** The site's process itself, which with a sandbox is a descendant of the one that was started. */
  found: FoundProcess
  /** Whether it reported that it started. */
  hasReceivedHello: boolean
  /** Journal mode of the database at the start; null if there is no database yet. */
  journalMode: string | null
  /** Why the engine ends it: null on request; undefined: the engine does not end it. */
  endReason: LocalizedMessage | null | undefined
  /** Its own report of why it fails. */
  failure: LocalizedMessage | null
  /** End of its error output. */
  errorTail: string
  /** An error in our own process while handling the site's. */
  ownError: unknown
}

/** Sends a message to the site's process; dropped if the channel is closed. */
export type PostMessage = (message: ToChild) => void

/** A process that was just spawned. */
export function createProcessContext({ child, control }: SpawnedSite, start: SiteStart): ProcessContext {
  const ready = Promise.withResolvers<string | null>()
  // A failed start is reported to whoever waits for it.
  ready.promise.catch(() => undefined)
  return {
    child,
    control,
    start,
    agent: new Agent({ keepAlive: true, maxFreeSockets: 8 }),
    runs: new Map(),
    begun: new Set(),
    overdue: null,
    ready,
    exited: Promise.withResolvers(),
    found: foundProcess(child.pid ?? 0),
    hasReceivedHello: false,
    journalMode: null,
    endReason: undefined,
    failure: null,
    errorTail: '',
    ownError: undefined,
  }
}

/** Whether the spawned process is gone. */
export function hasExited({ child }: ProcessContext): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

/** Records a process on disk until this site's process is gone. Throws if it can't be recorded. */
export function recordProcess({ start: { notes }, exited }: ProcessContext, pid: number): void {
  notes.add(pid)
  void exited.promise.then(() => notes.remove(pid))
}
