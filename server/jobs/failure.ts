import { redact } from '#server/platform/log/redact.ts'
import type { Job } from '#shared/doctypes/job.ts'
import { foreign, isSentence, restored, say, stored, withTexts, written, type Sentence } from '#shared/sentence.ts'
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
  readonly sentence: Sentence
  readonly nextAction = say`Retry; if it takes too long again, look at the log and at how busy the machine is.`
  constructor(what: Sentence, seconds: number) {
    const sentence = say`${what} took longer than ${seconds} seconds and was stopped.`
    super(sentence.text)
    this.name = 'DeadlineError'
    this.sentence = sentence
  }
}

/** What people read of a failed job. */
export interface JobFailure {
  /** A code of `shared/errors.ts`. */
  code: string
  message: Sentence
  nextAction: Sentence
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

/** Most characters of what is told of an error. */
const mostCharacters = 500

const cleaned = (text: string): string => cleanLines(redact(text)).join(' ')

/** A thrown value as one clean line. */
export function messageOf(error: unknown): string {
  return cleaned(withoutPaths(error)).trim().slice(0, mostCharacters).toWellFormed() || 'Unknown error.'
}

/** A sentence without secrets and control characters; what is too long, or is clean only as a whole, has no parts. */
export function cleanSentence(said: Sentence): Sentence {
  const whole = cleaned(said.text)
  const clean = withTexts(said, cleaned)
  return clean.text === whole && whole.length <= mostCharacters ? clean : foreign(whole.slice(0, mostCharacters))
}

/** A thrown value as a sentence; what was not thrown as one is somebody else's words. */
export function sentenceOf(error: unknown): Sentence {
  const own = property(error, 'sentence')
  if (isSentence(own)) return cleanSentence(own)
  const message = messageOf(error)
  return message === 'Unknown error.' ? say`Unknown error.` : foreign(message)
}

/** The words for a failed step (or for the whole job when `step` is null). */
export function failureOf(error: unknown, step: Sentence | null, nextAction?: (code: string) => Sentence): JobFailure {
  const known = property(error, 'code')
  // Codes of Node's own errors (ENOSPC …) are upper case; ours never are.
  const code = typeof known === 'string' && /^[a-z_]+$/.test(known) ? known : 'unavailable'
  const message = sentenceOf(error)
  const own = property(error, 'nextAction')
  return {
    code,
    message: step && !message.text.startsWith(step.text) ? say`${step}: ${message}` : message,
    nextAction: isSentence(own) ? cleanSentence(own) : (nextAction?.(code) ?? say`Look at the log, then retry.`),
  }
}

/** The label of a job's step as a sentence. */
export function stepOf(job: Pick<Job, 'reference_title'>, label: string): Sentence {
  return stored(label, job.reference_title)
}

/** The failure that a job's fields tell of; null when they tell of none. */
export function writtenFailure(job: Job): JobFailure | null {
  if (!job.error_message) return null
  return {
    code: job.error_code ?? 'unavailable',
    message: restored(job.error_message, job.error_message_parts),
    nextAction: restored(job.next_action ?? '', job.next_action_parts),
  }
}

/** The fields of a job that tell of a failure; of none with null. */
export function failureFields(failure: JobFailure | null) {
  return {
    error_code: failure?.code ?? null,
    ...written('error_message', failure?.message ?? null, 1000),
    ...written('next_action', failure?.nextAction ?? null),
  }
}
