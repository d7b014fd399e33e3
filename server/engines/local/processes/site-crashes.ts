import { msg, type LocalizedMessage } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'
import type { AwakeContext, AwakeEntry } from './awake-context.ts'

/** Delays before a crashed site is restarted; after the last one it stays down until the next request. */
const backOffMs = [500, 1_000, 3_000, 10_000]
/** Crashes older than this are ignored. */
const crashWindowMs = 10 * 60_000
/** Maximum number of immediate restarts after PHP broke; each further one counts as a crash. */
const maxBreaks = 10
/** A site that keeps crashing gets one more attempt per this time. */
const crashPauseMs = 60_000

/** How a site crashed. */
export interface Crash {
  /** For the log. */
  readonly error?: unknown
  /** A request that took too long ended the process: others, which it kept waiting, are answered by the next one at once. */
  readonly isAwaited: boolean
}

/**
 * Records and reports a crash; until its delay is over the site is not started.
 * @returns milliseconds after which the site is restarted; null: only with the next request
 */
export function recordCrash(
  { options }: AwakeContext,
  entry: AwakeEntry,
  reason: LocalizedMessage,
  { error, isAwaited }: Crash,
): number | null {
  const now = options.now()
  const { id } = entry
  entry.crashes = [...entry.crashes.filter((at) => now - at < crashWindowMs), now]
  entry.reason = reason
  const backOff = backOffMs[entry.crashes.length - 1] ?? null
  const delayMs = isAwaited && backOff !== null ? 0 : backOff
  entry.blockedUntil = now + (delayMs ?? crashPauseMs)
  options.log.warn('A site’s process ended', { site: id, reason: reason.text, crashes: entry.crashes.length, error })
  options.onEvent({ id, event: 'crash', reason })
  return delayMs
}

/**
 * Records that PHP broke in the middle of a page. A start is as expensive as many pages, and visitors can request the page
 * that breaks PHP again and again.
 * @returns whether this happened so often that it counts as a crash
 */
export function recordBreak({ options }: AwakeContext, entry: AwakeEntry): boolean {
  const now = options.now()
  entry.breaks = [...entry.breaks.filter((at) => now - at < crashWindowMs), now]
  return entry.breaks.length > maxBreaks
}

/** Throws EngineError `unavailable` if the site crashed and must not be started yet. */
export function assertNotBlocked({ options }: AwakeContext, { blockedUntil, reason }: AwakeEntry): void {
  const wait = blockedUntil - options.now()
  if (reason === null || wait <= 50) return
  throw new EngineError('unavailable', msg`${reason} It is started again in ${Math.ceil(wait / 1000)} s.`, {
    retryable: true,
    nextAction: msg`Wait a moment; if it keeps happening, look at the error log of the site.`,
  })
}
