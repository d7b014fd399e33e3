import type { FailureEnd, JobFailure } from '#server/contracts/job.ts'
import { isOfFullDisk } from '#server/platform/files/disk-space.ts'
import { redact } from '#server/platform/log/redact.ts'
import type { Job } from '#shared/doctypes/job.ts'
import { AppError } from '#shared/errors.ts'
import {
  untranslated,
  isLocalizedMessage,
  deserializeMessage,
  msg,
  jobLabelMessage,
  withTexts,
  serializeMessage,
  type LocalizedMessage,
} from '#shared/localized-message.ts'
import { cleanLines } from './log/log-buffer.ts'

/** Why a run stopped early without failing. */
export type StopReason = 'cancel' | 'shutdown' | 'lost'

/** Stops a run: a user canceled it, the process shuts down, or another attempt took over (then nothing may be written). */
export class StopError extends Error {
  readonly reason: StopReason
  constructor(reason: StopReason) {
    super(
      { cancel: 'The job was canceled.', shutdown: 'The program stops.', lost: 'Another attempt took over.' }[reason],
    )
    this.name = 'StopError'
    this.reason = reason
  }
}

/** A step or job exceeded its deadline. Not retried, because the time is used up. */
export class DeadlineError extends Error {
  readonly code = 'unavailable'
  readonly localized: LocalizedMessage
  readonly nextAction = msg`Retry; if it takes too long again, look at the log and at how busy the machine is.`
  constructor(what: LocalizedMessage, seconds: number) {
    const localized = msg`${what} took longer than ${seconds} seconds and was stopped.`
    super(localized.text)
    this.name = 'DeadlineError'
    this.localized = localized
  }
}

function property(error: unknown, key: string): unknown {
  return typeof error === 'object' && error !== null ? Reflect.get(error, key) : undefined
}

/** Whether the error is marked as retryable (AppError and EngineError have this flag). */
export function isRetryable(error: unknown): boolean {
  return property(error, 'retryable') === true
}

/** PostgreSQL error codes for a server shutdown or a broken connection. */
const lostConnection = /^(?:57P0[1-3]|08\w{3})$/

/**
 * Whether the error comes from losing our own database. This says nothing about the work itself: the job runs again when the
 * database is back instead of failing.
 */
export function isDatabaseLoss(error: unknown): boolean {
  const code = property(error, 'code')
  if (typeof code === 'string' && lostConnection.test(code)) return true
  const message = error instanceof Error ? error.message : ''
  return /^(?:Connection terminated|Client has encountered a connection error|Client was closed|timeout exceeded when trying to connect)|\.s\.PGSQL\./.test(
    message,
  )
}

/** The error, or what it was made of, if neither has words of ours: nobody foresaw it, so it belongs into the log of this machine; else null. */
export function unforeseen(error: unknown): unknown {
  const origin = error instanceof AppError ? (error.cause ?? error) : error
  return isLocalizedMessage(property(origin, 'localized')) ? null : origin
}

/** System errors contain file paths of this machine; they are logged but not shown to users. */
function withoutPaths(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  const paths = ['path', 'dest'].map((key) => property(error, key)).filter((path) => typeof path === 'string')
  return paths.reduce((text, path) => text.replaceAll(`'${path}'`, '…'), message)
}

/** Maximum length of an error message in characters. */
const maxCharacters = 500

const cleaned = (text: string): string => cleanLines(redact(text)).join(' ')

/** A thrown value as a single sanitized line. */
export function messageOf(error: unknown): string {
  return cleaned(withoutPaths(error)).trim().slice(0, maxCharacters).toWellFormed() || 'Unknown error.'
}

/**
 * A sentence without secrets and control characters. If it is too long, or can only be sanitized as a whole, it becomes a
 * foreign text without parts.
 */
export function redactMessage(message: LocalizedMessage): LocalizedMessage {
  const whole = cleaned(message.text)
  const clean = withTexts(message, cleaned)
  return clean.text === whole && whole.length <= maxCharacters ? clean : untranslated(whole.slice(0, maxCharacters))
}

/** A thrown value as a sentence; errors without one of ours become foreign text. */
export function errorMessage(error: unknown): LocalizedMessage {
  const own = property(error, 'localized')
  if (isLocalizedMessage(own)) return redactMessage(own)
  if (isOfFullDisk(error)) return msg`The disk of this installation has no room.`
  const message = messageOf(error)
  return message === 'Unknown error.' ? msg`Unknown error.` : untranslated(message)
}

/** The failure message of a step, or of the whole job if `step` is null. */
export function failureOf(
  error: unknown,
  step: LocalizedMessage | null,
  nextAction?: (code: string) => LocalizedMessage,
): JobFailure {
  const known = property(error, 'code')
  // Node's own error codes (ENOSPC …) are upper case; ours never are.
  const code = typeof known === 'string' && /^[a-z_]+$/.test(known) ? known : 'unavailable'
  const message = errorMessage(error)
  const own = isOfFullDisk(error) ? msg`Make room on the disk, then try again.` : property(error, 'nextAction')
  return {
    code,
    message: step && !message.text.startsWith(step.text) ? msg`${step}: ${message}` : message,
    nextAction: isLocalizedMessage(own)
      ? redactMessage(own)
      : (nextAction?.(code) ?? msg`Look at the log, then retry.`),
  }
}

/** The failure of what was to be taken back, when that failed, too: whatever the first one promised is not true. */
export function notPutBack({ code, message }: Pick<JobFailure, 'code' | 'message'>, problem: unknown): JobFailure {
  return {
    code,
    message: msg`${sentence(message)} The state before could not be put back: ${errorMessage(problem)}`,
    nextAction: msg`Look at the log, then retry.`,
  }
}

/** The failure of a job whose work ended in this way: it must not promise that the state before is back unless it is. */
export function failureAtEnd(failure: JobFailure, end: FailureEnd | void): JobFailure {
  const { code, message } = failure
  if (end === undefined || end === 'undone') return failure
  if (end === 'finished')
    return { code, message, nextAction: msg`What the job was to change is in place: only what came after it failed.` }
  if (end === 'unknown')
    return { code, message, nextAction: msg`Look at the site: what the job was to change may be in place already.` }
  return notPutBack(failure, end.kept)
}

/** The failure of a job that could not be ended well, for example because a status could not be written. */
export function notCleanedUp({ code, message }: JobFailure, problem: unknown): JobFailure {
  return {
    code,
    message: msg`${sentence(message)} Cleaning up after that failed, too: ${errorMessage(problem)}`,
    nextAction: msg`Look at the log, then retry.`,
  }
}

/** Messages of systems have no period. */
const sentence = (message: LocalizedMessage): LocalizedMessage =>
  /[.!?…]$/.test(message.text) ? message : msg`${message}.`

/** The label of a job's step as a sentence. */
export function stepOf(job: Pick<Job, 'reference_title'>, label: string): LocalizedMessage {
  return jobLabelMessage(label, job.reference_title)
}

/** The failure stored in a job's fields; null if there is none. */
export function storedFailure(job: Job): JobFailure | null {
  if (!job.error_message) return null
  return {
    code: job.error_code ?? 'unavailable',
    message: deserializeMessage(job.error_message, job.error_message_i18n),
    nextAction: deserializeMessage(job.next_action ?? '', job.next_action_i18n),
  }
}

/** The job fields that store a failure; null clears them. */
export function failureFields(failure: JobFailure | null) {
  return {
    error_code: failure?.code ?? null,
    ...serializeMessage('error_message', failure?.message ?? null, 1000),
    ...serializeMessage('next_action', failure?.nextAction ?? null),
  }
}
