import { cleanLine, stripControls } from '../text-log/clean-line.ts'
import type { ConnectionPool } from './connection-pool.ts'
import { withDeadline, type Timers } from './deadline.ts'
import { parseAnswer, scriptLine, type RemoteAnswer } from './remote-script.ts'
import { SshError, sshErrors } from './ssh-error.ts'
import type { SshTarget } from './ssh-target.ts'

/** Limits of a call. */
export interface CallOptions {
  /** Milliseconds for everything, connecting included. */
  readonly deadlineMs: number
  readonly signal?: AbortSignal | undefined
}

/** A script to run on a server. */
export interface Call extends CallOptions {
  readonly script: string
  /** Its arguments, quoted. */
  readonly words: string
  readonly stdin?: string | Buffer
  readonly maxBytes: number
  /** More output is dropped instead of ending the command. */
  readonly dropsOutput?: boolean
  /** It can be repeated. */
  readonly observes: boolean
}

/** What a script answered and its command printed. */
export interface CallResult extends RemoteAnswer {
  readonly code: number | null
  readonly signal: string | null
  readonly stderr: string
  readonly isTruncated: boolean
}

/** What calls need. */
export interface CallContext {
  readonly pool: ConnectionPool
  readonly timers: Timers
}

/** Above this, standard input would not fit into a pipe. */
export const maxInputBytes = 64 * 1024

/** The length of standard input in bytes. Throws for what a variable of a shell can't hold. */
export function inputSize(stdin: string): number {
  const bytes = Buffer.byteLength(stdin)
  if (bytes > maxInputBytes || stdin.includes('\0') || !stdin.isWellFormed())
    throw new TypeError('Standard input is text of at most 64 KiB without null bytes.')
  return bytes
}

/** Runs a script. One that only observes is run once more if the connection broke. Throws SshError, or the reason of the signal. */
export function callScript({ pool, timers }: CallContext, target: SshTarget, call: Call): Promise<CallResult> {
  const { script, words, stdin = '', maxBytes, dropsOutput = false, observes, deadlineMs, signal } = call
  const errors = sshErrors(target.address)
  const line = scriptLine(target.user, script, words)
  return withDeadline(timers, { ms: deadlineMs, expired: errors.timeout, signal }, async (aborted) => {
    const overflow = dropsOutput ? undefined : errors.tooMuchOutput
    const attempt = () =>
      pool.use(target, aborted, (connection) =>
        connection.execute(line, { stdin, maxBytes, overflow, signal: aborted }),
      )
    const execution = await attempt().catch((error: unknown) => {
      if (observes && error instanceof SshError && error.kind === 'lost') return attempt()
      throw error
    })
    const result = { ...execution, stderr: cleanLines(execution.stderr.toString('utf8')) }
    const answered = parseAnswer(execution.stdout)
    if (answered === null) throw unexpectedAnswer(target, result)
    return { ...result, ...answered }
  })
}

/** The error of a script that did not run, or could not do what it is for. */
export function unexpectedAnswer(
  { address }: SshTarget,
  { stderr, code }: Pick<CallResult, 'stderr' | 'code'>,
): SshError {
  const [said = ''] = stderr.split('\n')
  return sshErrors(address).unexpected(said.slice(0, 200) || `exit code ${code}`)
}

/** Removes escape sequences and control characters from output; line breaks and tabs stay. */
export const cleanText = (text: string): string => text.split('\n').map(stripControls).join('\n')

const cleanLines = (text: string): string => text.trimEnd().split('\n').map(cleanLine).join('\n')
