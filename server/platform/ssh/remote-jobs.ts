import { lineOf, splitLines } from '../text-log/split-lines.ts'
import { callScript, inputSize, unexpectedAnswer } from './call.ts'
import type { CallContext, CallOptions, CallResult } from './call.ts'
import { throwIfRefused } from './commands.ts'
import { commandLine, quote, singleQuoted, type CommandEnvironment } from './quote.ts'
import { remoteScripts } from './remote-script.ts'
import type { SshTarget } from './ssh-target.ts'

/** A program that runs on a server detached from any connection, in a session of its own. */
export interface RemoteJobSpec {
  /** Names it on its server forever: lower-case letters, digits and dashes. */
  readonly id: string
  /** Stored on the server: no secrets. */
  readonly argv: readonly string[]
  readonly env?: CommandEnvironment
  /** Runs in a pseudo-terminal; then `stdin` is its descriptor 3, because a terminal would print it. */
  readonly pty?: boolean
  /** Never stored: for secrets. */
  readonly stdin?: string
}

/**
 * `absent`: never started, or removed. `ended`: its exit code is known. `lost`: it is gone without one, for example because the server was
 * restarted.
 */
export type RemoteJobState = 'absent' | 'running' | 'ended' | 'lost'

/** How far the log of a job was read. Plain JSON, to be stored. */
export interface RemoteLogPosition {
  readonly offset: number
  /** A line was cut here; its rest is skipped. */
  readonly insideLine: boolean
}

/** Before the first line. */
export const remoteLogStart: RemoteLogPosition = { offset: 0, insideLine: false }

/** A job, and what its log has after a position. */
export interface FollowedJob {
  readonly state: RemoteJobState
  /** 128 and the number of the signal if one ended it; null unless it has ended. */
  readonly code: number | null
  /** Without escape sequences and control characters, at most 4 KiB each. */
  readonly lines: readonly string[]
  readonly next: RemoteLogPosition
  /** More can be read at once. */
  readonly more: boolean
}

const pieceBytes = 256 * 1024
/** So much is read of a log from its beginning; if there is more, then its end after the job. */
const maxLogBytes = 1024 * 1024
const endBytes = 16 * 1024

const checkedId = (id: string): string => {
  if (!/^[a-z0-9][a-z0-9-]{0,63}$/.test(id)) throw new TypeError(`Not the id of a remote job: ${id}`)
  return id
}

/** Time the script gives the system to end what was killed. */
const killSeconds = 10

/** Calls without a command of the caller print little. */
const answerBytes = 4 * 1024

/**
 * Starts a job unless it was started before. Throws `busy` while another job or command changes the server. After `lost` or `timeout`,
 * follow it: it may run.
 */
export async function startJob(
  context: CallContext,
  target: SshTarget,
  { id, argv, env, pty = false, stdin = '' }: RemoteJobSpec,
  options: CallOptions,
): Promise<void> {
  const job = `${remoteScripts.leader}\nexec ${commandLine(argv, env)}`
  const words = [remoteScripts.supervise, 'easydash', checkedId(id), String(inputSize(stdin)), pty ? '1' : '0', job]
  const result = await callScript(context, target, {
    script: remoteScripts.start,
    words: words.map(singleQuoted).join(' '),
    stdin,
    maxBytes: answerBytes,
    observes: false,
    ...options,
  })
  throwIfRefused(target, result)
  expectAnswer(target, result, ['started', 'known'])
}

/** Reads the state of a job, and at most 256 KiB of its log. */
export async function followJob(
  context: CallContext,
  target: SshTarget,
  { id, from }: { readonly id: string; readonly from: RemoteLogPosition },
  options: CallOptions,
): Promise<FollowedJob> {
  const limits = [pieceBytes, maxLogBytes, endBytes].join(' ')
  const result = await callScript(context, target, {
    script: remoteScripts.follow,
    words: `${quote(checkedId(id))} ${from.offset} ${limits}`,
    maxBytes: answerBytes + pieceBytes,
    observes: true,
    ...options,
  })
  const [state, code, size, start] = result.words
  if (state === 'absent') return { state, code: null, lines: [], next: from, more: false }
  if (state !== 'running' && state !== 'ended' && state !== 'lost') throw unexpectedAnswer(target, result)
  const log = { bytes: result.rest.subarray(0, pieceBytes), size: Number(size), start: Number(start) }
  if (!Number.isSafeInteger(log.size) || !Number.isSafeInteger(log.start) || log.start < from.offset)
    throw unexpectedAnswer(target, result)
  const exitCode = state === 'ended' && /^\d{1,3}$/.test(code ?? '') ? Number(code) : null
  // What is stored as exit code may be damaged by a crash.
  return {
    state: state === 'ended' && exitCode === null ? 'lost' : state,
    code: exitCode,
    ...linesOf(log, from, state),
  }
}

function linesOf(
  { bytes, size, start }: { readonly bytes: Buffer; readonly size: number; readonly start: number },
  from: RemoteLogPosition,
  state: RemoteJobState,
): Pick<FollowedJob, 'lines' | 'next' | 'more'> {
  const skipped = start - from.offset
  const split = splitLines(bytes, skipped > 0 || from.insideLine)
  const lines = split.lines.map(({ text }) => text)
  if (skipped > 0) lines.unshift(`… (${skipped} bytes)`)
  const end = start + bytes.length
  const isWhole = end >= size
  const isAtLimit = end >= maxLogBytes && !isWhole
  // Nothing will complete the last line.
  if (split.consumed < bytes.length && (isAtLimit || (isWhole && state !== 'running'))) {
    lines.push(lineOf(bytes, split.consumed, bytes.length).text)
    return { lines, next: { offset: end, insideLine: isAtLimit }, more: isAtLimit && state !== 'running' }
  }
  return {
    lines,
    next: { offset: start + split.consumed, insideLine: split.insideLine },
    more: !isWhole && (state !== 'running' || end < maxLogBytes),
  }
}

/**
 * Ends all processes in the session of a job: SIGTERM, after `graceSeconds` SIGKILL. Returns its state afterward: `running` if the
 * system could not end it. The time for that comes on top of the deadline.
 */
export async function cancelJob(
  context: CallContext,
  target: SshTarget,
  { id, graceSeconds }: { readonly id: string; readonly graceSeconds: number },
  options: CallOptions,
): Promise<RemoteJobState> {
  const result = await callScript(context, target, {
    script: remoteScripts.cancel,
    words: `${quote(checkedId(id))} ${Math.ceil(graceSeconds)}`,
    maxBytes: answerBytes,
    observes: true,
    deadlineMs: options.deadlineMs + (graceSeconds + killSeconds) * 1000,
    signal: options.signal,
  })
  return expectAnswer(target, result, ['absent', 'running', 'ended', 'lost'])
}

/** Removes a job's folder with its log. Throws `busy` while it runs. */
export async function removeJob(
  context: CallContext,
  target: SshTarget,
  id: string,
  options: CallOptions,
): Promise<void> {
  const result = await callScript(context, target, {
    script: remoteScripts.remove,
    words: quote(checkedId(id)),
    maxBytes: answerBytes,
    observes: true,
    ...options,
  })
  throwIfRefused(target, result)
  expectAnswer(target, result, ['ok'])
}

function expectAnswer<const T extends string>(target: SshTarget, result: CallResult, expected: readonly T[]): T {
  const found = expected.find((word) => word === result.words[0])
  if (found === undefined) throw unexpectedAnswer(target, result)
  return found
}
