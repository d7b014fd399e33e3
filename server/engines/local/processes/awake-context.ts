import { msg, type LocalizedMessage } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'
import type { AwakeOptions } from './awake-options.ts'
import type { SiteProcess } from './site-process-handle.ts'

/** A site that is awake, starting, or down after a crash. */
export interface AwakeEntry {
  readonly id: string
  /** The start in progress; its callers share it. */
  starting: Promise<SiteProcess> | null
  /** Aborts a start in progress. */
  readonly abort: AbortController
  process: SiteProcess | null
  /** Its start takes long, so that others continue; it still counts toward the maximum. */
  isSlow: boolean
  /** Number of users that currently keep it awake. */
  holds: number
  /** Milliseconds since 1970. */
  lastUsed: number
  /** Times of its recent crashes. */
  crashes: number[]
  /** Times at which its PHP broke. */
  breaks: number[]
  /** Time until which it is not started again. */
  blockedUntil: number
  /** Why it is down after a crash; null if it is not. */
  reason: LocalizedMessage | null
  /** The restart after a crash. */
  restart: NodeJS.Timeout | null
}

/** A site that is kept asleep. */
export interface SitePause {
  /** How many want it. */
  holders: number
  readonly end: PromiseWithResolvers<void>
}

/** The state of all awake sites. */
export interface AwakeContext {
  readonly options: AwakeOptions
  readonly entries: Map<string, AwakeEntry>
  /** Sites whose leftover processes are being ended: a process started meanwhile would be taken for one of them. */
  readonly cleanups: Map<string, Promise<void>>
  /** Sites that must not start now, with the end of it. */
  readonly pauses: Map<string, SitePause>
  /** Starts are serialized: two at once could both claim the last free slot. Resolves when the next may begin. */
  gate: Promise<unknown>
  /** The engine is stopping: nothing is started any more. */
  isStopped: boolean
}

/** No site is awake yet. */
export function createAwakeContext(options: AwakeOptions): AwakeContext {
  return {
    options,
    entries: new Map(),
    cleanups: new Map(),
    pauses: new Map(),
    gate: Promise.resolve(),
    isStopped: false,
  }
}

/** The site's entry; a new one if it sleeps. */
export function entryOf({ entries }: AwakeContext, id: string): AwakeEntry {
  const known = entries.get(id)
  if (known !== undefined) return known
  const fresh: AwakeEntry = {
    id,
    starting: null,
    abort: new AbortController(),
    process: null,
    isSlow: false,
    holds: 0,
    lastUsed: 0,
    crashes: [],
    breaks: [],
    blockedUntil: 0,
    reason: null,
    restart: null,
  }
  entries.set(id, fresh)
  return fresh
}

/** A site, or the engine, is stopped on request. */
export function siteStoppedError(): EngineError {
  return new EngineError('unavailable', msg`The site was stopped.`, {
    retryable: true,
    nextAction: msg`Try again in a moment.`,
  })
}
