import { redact } from '#server/platform/redact.ts'
import type { Sentence } from '#shared/sentence.ts'
import { cleanLines } from './log-buffer.ts'

/** Why a run stopped before its end without having failed by itself. */
export type StopReason = 'cancel' | 'shutdown' | 'lost'

/** Ends a run: cancelled by a person, the program stops, or another attempt took over (nothing may be written then). */
export class StopError extends Error {
  readonly reason: StopReason
  constructor(reason: StopReason) {
    super(
      { cancel: 'The job was cancelled.', shutdown: 'The program stops.', lost: 'Another attempt took over.' }[reason],
    )
    this.name = 'StopError'
    this.reason = reason
  }
}

/** A step or a job took longer than it may. Not retried: the time is used up. */
export class DeadlineError extends Error {
  readonly code = 'unavailable'
  readonly nextAction = 'Retry; if it takes too long again, look at the log and at how busy the machine is.'
  constructor(what: string, seconds: number) {
    super(`${what} took longer than ${seconds} seconds and was stopped.`)
    this.name = 'DeadlineError'
  }
}

/** What people read of a failed job. */
export interface JobFailure {
  /** A code of `shared/errors.ts`. */
  code: string
  message: string
  next_action: string
}

function property(error: unknown, key: string): unknown {
  return typeof error === 'object' && error !== null ? Reflect.get(error, key) : undefined
}

/** Whether its thrower says that trying again can help (AppError and EngineError both have the flag). */
export function isRetryable(error: unknown): boolean {
  return property(error, 'retryable') === true
}

/** PostgreSQL's codes for a server that goes down or a connection that broke. */
const lostConnection = /^(?:57P0[1-3]|08\w{3})$/

/**
 * Whether our own database went away under the work. That says nothing about the work itself: the job is run again
 * when the database is back, instead of failing.
 */
export function isDatabaseLoss(error: unknown): boolean {
  const code = property(error, 'code')
  if (typeof code === 'string' && lostConnection.test(code)) return true
  const message = error instanceof Error ? error.message : ''
  return /^(?:Connection terminated|Client has encountered a connection error|Client was closed|timeout exceeded when trying to connect)|\.s\.PGSQL\./.test(
    message,
  )
}

/** The system's own errors name files of this machine; the log keeps the names, people need not know them. */
function withoutPaths(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  const paths = ['path', 'dest'].map((key) => property(error, key)).filter((path) => typeof path === 'string')
  return paths.reduce((text, path) => text.replaceAll(`'${path}'`, '…'), message)
}

/** A thrown value as one clean line. */
export function messageOf(error: unknown): string {
  const message = withoutPaths(error)
  return cleanLines(redact(message)).join(' ').trim().slice(0, 500) || 'Unknown error.'
}

/** The words for a failed step (or for the whole job when `step` is null). */
export function failureOf(error: unknown, step: string | null, nextAction?: (code: string) => string): JobFailure {
  const known = property(error, 'code')
  // Codes of Node's own errors (ENOSPC …) are upper case; ours never are.
  const code = typeof known === 'string' && /^[a-z_]+$/.test(known) ? known : 'unavailable'
  const message = messageOf(error)
  const way = property(error, 'nextAction')
  const own = way === undefined || typeof way === 'string' ? way : (way as Sentence).text
  return {
    code,
    message: step && !message.startsWith(step) ? `${step}: ${message}` : message,
    next_action: typeof own === 'string' && own !== '' ? own : (nextAction?.(code) ?? 'Look at the log, then retry.'),
  }
}
