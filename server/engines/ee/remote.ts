import { abortError } from '#server/platform/abort-error.ts'
import { remoteLogStart, type RemoteLogPosition } from '#server/platform/ssh/remote-jobs.ts'
import { SshError, type SshErrorKind } from '#server/platform/ssh/ssh-error.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../engine.ts'
import type { ServerRef } from '../site-ref.ts'
import { targetOf, type EeContext } from './ee-context.ts'
import { scriptText, type EeScript } from './remote-script.ts'

/** Milliseconds for a script that ends within seconds. */
const callMs = 30_000
/** How often a change is started whose connections break before it begins. */
const mostStarts = 4

/** A script of `remote/` with its arguments. */
export interface ScriptCall {
  readonly script: EeScript
  readonly args: readonly string[]
  /** What it starts with besides; may be secret only where the script is not just read (`look`). */
  readonly variables?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
  readonly deadlineMs?: number
  /** Milliseconds that a change waits for the one in progress. Default: until `signal` says so, or 30 seconds without one. */
  readonly waitMs?: number
  /** Bytes of output, default 1 MiB. */
  readonly maxBytes?: number
  /** Its text may be too long for a command. What it runs must not read the standard input, which the rest of it is. */
  readonly isLong?: boolean
}

/** How a script ended. */
export interface ScriptResult {
  /** Null if a signal ended it. */
  readonly code: number | null
  readonly signal?: string | null
  readonly stdout: string
  readonly stderr: string
}

/**
 * Runs a script beside whatever changes the server at the moment: one that changes nothing, or that can be repeated and leaves EasyEngine
 * alone. If the connection breaks, it runs once more.
 */
export async function look(context: EeContext, server: ServerRef, call: ScriptCall): Promise<ScriptResult> {
  const text = scriptText(call.script, call.variables)
  const isLong = call.isLong === true
  // Line breaks can't be part of a command.
  const inline = ['-c', 'script=$(printf %s "$0" | base64 -d) && eval "$script"', Buffer.from(text).toString('base64')]
  return context.ssh.read(targetOf(server), ['sh', ...(isLong ? ['-s', '--'] : inline), ...call.args], {
    ...(isLong ? { stdin: text } : {}),
    deadlineMs: call.deadlineMs ?? callMs,
    signal: call.signal,
    ...(call.maxBytes === undefined ? {} : { maxBytes: call.maxBytes }),
  })
}

/** Runs a script that changes the server within seconds, after the change that is in progress there. It is never repeated. */
export async function change(context: EeContext, server: ServerRef, call: ScriptCall): Promise<ScriptResult> {
  const limits = {
    deadlineMs: call.deadlineMs ?? callMs,
    signal: call.signal,
    ...(call.maxBytes === undefined ? {} : { maxBytes: call.maxBytes }),
  }
  const stdin = scriptText(call.script, call.variables)
  const run = () => context.ssh.run(targetOf(server), ['sh', '-s', '--', ...call.args], { ...limits, stdin })
  return inTurn(context, call.signal, run, call.waitMs)
}

/** A change that takes longer. */
export interface Mutation extends ScriptCall {
  /** Names it on its server: the same for the same change, so that whoever comes back finds it. */
  readonly id: string
  /** Looks at the server whether it is as it should be. */
  isDone(): Promise<boolean>
  /** Throws if it cannot be made now. What is done already is not asked. */
  assertPossible?(): Promise<unknown>
  /** Lines that are safe to show. */
  onLine?(line: string): void
}

/**
 * Brings a server into a state. The script runs there detached, in a pseudo-terminal and one at a time, so neither a broken connection nor
 * our own end stops it: what runs already is followed, what is done already is not done again, and its end counts for nothing until
 * `isDone` has seen the state. Throws EngineError `unavailable` with the script's last words if it has not come about.
 */
export async function mutate(context: EeContext, server: ServerRef, mutation: Mutation): Promise<void> {
  const { id, signal } = mutation
  const job = { context, server, ...mutation }
  // Of a process of ours that ended meanwhile.
  await settle(job)
  if (await mutation.isDone()) return
  await mutation.assertPossible?.()
  const target = targetOf(server)
  const argv = ['sh', '/dev/fd/3', ...mutation.args]
  const stdin = scriptText(mutation.script, mutation.variables)
  const start = () => context.ssh.start(target, { id, argv, stdin, pty: true }, { deadlineMs: callMs, signal })
  for (let left = mostStarts; ; left -= 1) {
    let isSure = true
    await inTurn(context, signal, start).catch((error: unknown) => {
      if (!isPassing(error)) throw error
      // It may have started. If it has, its name keeps it from starting again.
      isSure = false
    })
    const end = await ended(job)
    if (await mutation.isDone()) return forget(job)
    if (end === null && !isSure && left > 1) continue
    await forget(job)
    if (end === null) throw new SshErrorOfStart()
    throw failed(end)
  }
}

/** Follows a change that may be in progress to its end. */
export async function settle(job: Followed): Promise<void> {
  if ((await ended(job)) !== null) await forget(job)
}

/** Stops a change that may be in progress, as Ctrl+C would: EasyEngine then takes back what it has begun. */
export async function stop(context: EeContext, server: ServerRef, id: string, signal?: AbortSignal): Promise<void> {
  const limits = { deadlineMs: callMs, signal }
  const state = await context.ssh.cancel(targetOf(server), { id, graceSeconds: 60 }, limits)
  if (state === 'running')
    throw new EngineError('unavailable', msg`The server does not end what it is doing.`, {
      retryable: true,
      nextAction: msg`Look at the processes of the server, then retry.`,
    })
  if (state !== 'absent') await context.ssh.remove(targetOf(server), id, limits)
}

/** Errors of a connection after which the work on the server may go on. */
const passing: ReadonlySet<SshErrorKind> = new Set(['lost', 'timeout', 'unreachable'])

/** Whether the work may go on although the connection does not. */
export const isPassing = (error: unknown): boolean => error instanceof SshError && passing.has(error.kind)

/** Without an answer for so long, following ends; whoever tries again follows the same work. */
const silenceMs = 90_000

/** Runs what can be repeated, again while the server is away for a moment. */
export async function persistent<T>(
  context: EeContext,
  signal: AbortSignal,
  run: () => Promise<T>,
  mostMs = silenceMs,
): Promise<T> {
  let since = Date.now()
  for (let pause = 500; ; pause = Math.min(5_000, pause * 1.5)) {
    const began = Date.now()
    try {
      return await run()
    } catch (error) {
      // What went on for so long had a server that answered.
      if (Date.now() - began > silenceMs) since = Date.now()
      if (!isPassing(error) || Date.now() - since > mostMs) throw error
    }
    await rest(context, pause, signal)
  }
}

class SshErrorOfStart extends EngineError {
  constructor() {
    super('unavailable', msg`The server did not begin the work.`, { retryable: true, nextAction: msg`Retry.` })
  }
}

/** A change on its server. */
interface Followed extends Pick<Mutation, 'id' | 'signal' | 'onLine'> {
  readonly context: EeContext
  readonly server: ServerRef
}

/** What a change ended with. */
interface End {
  readonly code: number | null
  readonly words: string
}

/** Follows a change to its end; null if there is none. */
async function ended({ context, server, id, signal, onLine }: Followed): Promise<End | null> {
  let from: RemoteLogPosition = remoteLogStart
  const reason = createReason()
  let silentSince: number | null = null
  for (let pause = 150; ; pause = Math.min(2000, pause * 1.5)) {
    try {
      const seen = await context.ssh.follow(targetOf(server), { id, from }, { deadlineMs: callMs, signal })
      silentSince = null
      for (const line of seen.lines.filter(isShown)) {
        onLine?.(line)
        reason.add(line)
      }
      from = seen.next
      if (seen.more) continue
      if (seen.state === 'absent') return null
      if (seen.state !== 'running') return { code: seen.code, words: reason.words() }
    } catch (error) {
      if (!isPassing(error)) throw error
      silentSince ??= Date.now()
      if (Date.now() - silentSince > silenceMs) throw error
    }
    await rest(context, pause, signal)
  }
}

/**
 * Finds the reason among the lines of what failed: the last error, else the first warning, because those after it are about cleaning up. That
 * ends with a success even then.
 */
function createReason() {
  let error = ''
  let warning = ''
  let last = ''
  return {
    add(line: string): void {
      const [, kind, text = ''] = /^(Error|Warning|Success): *(.*)$/.exec(line) ?? []
      if (kind === 'Error' && text !== '') error = text
      else if (kind === 'Warning' && warning === '') warning = text
      else if (kind === undefined) last = line
    },
    words: () => error || warning || last,
  }
}

/** EasyEngine ends a creation with a table of all passwords. */
const isShown = (line: string): boolean => line.trim() !== '' && !/^\s*[|+]/.test(line)

const forget = ({ context, server, id, signal }: Followed): Promise<void> =>
  context.ssh.remove(targetOf(server), id, { deadlineMs: callMs, signal })

function failed({ code, words }: End): EngineError {
  // What is begun again looks first at what was done, as a process of ours does that comes back.
  if (code === null)
    return new EngineError('unavailable', msg`The server was restarted, or somebody ended what it was doing.`, {
      retryable: true,
      nextAction: msg`Look at the server, then retry.`,
    })
  const said = words.slice(0, 200)
  return new EngineError(
    'unavailable',
    said === ''
      ? msg`EasyEngine ended with code ${code}, and the change is not there.`
      : msg`EasyEngine did not make the change: “${said}”`,
    { nextAction: msg`Look at the log of this job, then retry.` },
  )
}

/** One change of a server at a time: waits while another one is in progress. The caller's signal or deadline ends the wait. */
async function inTurn<T>(
  context: EeContext,
  signal: AbortSignal | undefined,
  run: () => Promise<T>,
  // Without a signal somebody waits in front of the page.
  waitMs: number = signal === undefined ? callMs : Infinity,
): Promise<T> {
  const since = Date.now()
  for (let pause = 100; ; pause = Math.min(2000, pause * 1.5)) {
    try {
      return await run()
    } catch (error) {
      const isBusy = error instanceof SshError && error.kind === 'busy'
      if (!isBusy || Date.now() - since > waitMs) throw error
    }
    await rest(context, pause, signal)
  }
}

/** Waits a moment. */
export function rest({ timers }: EeContext, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(abortError(signal))
    const abort = () => {
      timers.clearTimeout(timer)
      reject(abortError(signal as AbortSignal))
    }
    const timer = timers.setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', abort, { once: true })
  })
}

/** The output of a script that ended well. Throws EngineError `unavailable` with its words. */
export function outputOf({ code, stdout, stderr }: ScriptResult): string {
  if (code === 0) return stdout
  const words =
    (stderr || stdout)
      .trim()
      .split('\n')
      .at(-1)
      ?.replace(/^Error: /, '')
      .slice(0, 200) ?? ''
  throw new EngineError(
    'unavailable',
    words === '' ? msg`The server ended the work with code ${String(code)}.` : msg`The server says: “${words}”`,
    { nextAction: msg`Retry. If it goes wrong again, look at the server.` },
  )
}
