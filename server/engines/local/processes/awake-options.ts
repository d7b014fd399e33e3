import type { Sentence } from '#shared/sentence.ts'
import type { LocalEngineLog } from '../options.ts'
import type { ProcessNotes } from './process-notes.ts'
import type { SiteStart } from '../sites/site-start.ts'

/** Something that happened to a site's process. */
export interface SiteEvent {
  id: string
  event: 'wake' | 'sleep' | 'crash'
  /** For a crash: why. */
  reason: Sentence | null
}

/** What the pool needs from the engine. */
export interface AwakeOptions {
  awakeMax: number
  memoryCapMb: number
  requestDeadlineMs: number
  now(): number
  log: LocalEngineLog
  notes: ProcessNotes
  /** Throws when the site may not run at all. */
  assertMayRun(id: string): void
  /** What takes long before a start. It may take as long as it likes: no other site waits for it. */
  prepare(id: string, signal: AbortSignal): Promise<void>
  /** Readies the site’s folders and says how its process starts. */
  boot(id: string): Promise<Omit<SiteStart, 'notes'>>
  /** Ends whatever else a site has running, once its process is gone. */
  endLeftovers(id: string, pid: number | null): Promise<void>
  /** Whether somebody watches this site being made: it then keeps normal priority. */
  isUrgent(id: string): boolean
  onEvent(event: SiteEvent): void
  /** How long the start of one site keeps others waiting; tests set it. */
  startPatienceMs?: number
}
