import type { SiteEvent } from '../../site-host.ts'
import type { RunLimits } from '../child/messages.ts'
import type { LocalEngineLog } from '../options.ts'
import type { ProcessNotes } from './process-notes.ts'
import type { SiteProcess } from './site-process-handle.ts'
import type { SiteStart } from '../sites/site-start.ts'

/** Options of the pool. */
export interface AwakeOptions {
  awakeMax: number
  memoryCapMb: number
  limits: RunLimits
  now(): number
  log: LocalEngineLog
  notes: ProcessNotes
  /** Throws if the site may not run. */
  assertMayRun(id: string): void
  /** Slow preparation before a start. May take any time without delaying other sites. */
  prepare(id: string, signal: AbortSignal): Promise<void>
  /** Prepares the site’s folders and returns how its process starts. */
  boot(id: string): Promise<Omit<SiteStart, 'notes'>>
  /** Completes a started process before anybody uses it. May take any time without delaying other sites. */
  complete(id: string, process: SiteProcess, signal: AbortSignal): Promise<void>
  /** Ends all other processes of a site after its main process ended. */
  killLeftovers(id: string, pid: number | null): Promise<void>
  /** Whether a user is waiting for this site's creation: it then keeps normal priority. */
  isUrgent(id: string): boolean
  onEvent(event: SiteEvent): void
  /** Maximum time the start of one site delays others; set by tests. */
  startTimeoutMs?: number
}
