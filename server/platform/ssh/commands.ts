import { callScript, cleanText, inputSize, type CallContext, type CallOptions, type CallResult } from './call.ts'
import { commandLine, type CommandEnvironment } from './quote.ts'
import { remoteScripts } from './remote-script.ts'
import { sshErrors, type SshError } from './ssh-error.ts'
import type { SshTarget } from './ssh-target.ts'

/** Options of a command. */
export interface CommandOptions extends CallOptions {
  readonly env?: CommandEnvironment
  /** Bytes of standard output, default 1 MiB. */
  readonly maxBytes?: number
  readonly stdin?: string
}

/** How a command ended and what it printed, without escape sequences and control characters. */
export interface CommandResult {
  /** Null if a signal ended it. */
  readonly code: number | null
  /** For example `SIGTERM`. */
  readonly signal: string | null
  readonly stdout: string
  /** At most 64 KiB, in lines of at most 4 KiB. */
  readonly stderr: string
}

const defaultMaxBytes = 1024 * 1024

/**
 * Runs a command that changes nothing, also while something else changes the server. Standard input gets a line break at its end. If
 * the connection breaks, it is run once more. Throws `too_much_output` if it prints more than the limit.
 */
export async function readCommand(
  context: CallContext,
  target: SshTarget,
  argv: readonly string[],
  options: CommandOptions,
): Promise<CommandResult> {
  const { maxBytes = defaultMaxBytes, stdin = '', deadlineMs, signal } = options
  const words = `${inputSize(stdin)} ${commandLine(argv, options.env)}`
  const call = { script: remoteScripts.read, words, stdin, maxBytes, observes: true, deadlineMs, signal }
  const result = await callScript(context, target, call)
  throwIfRefused(target, result)
  return commandResult(result)
}

/**
 * Passes bytes to a command that keeps them in files of ours, beside whatever changes the server. Sending the same again must change nothing:
 * if the connection breaks, it is done once more.
 */
export async function sendTo(
  context: CallContext,
  target: SshTarget,
  argv: readonly string[],
  { content, deadlineMs, signal }: CallOptions & { readonly content: Buffer },
): Promise<CommandResult> {
  const words = `${content.length} ${commandLine(argv)}`
  const call = {
    script: remoteScripts.send,
    words,
    stdin: content,
    maxBytes: defaultMaxBytes,
    observes: true,
    deadlineMs,
    signal,
  }
  const result = await callScript(context, target, call)
  throwIfRefused(target, result)
  return commandResult(result)
}

/**
 * Runs a command that changes the server, while no other one and no job does: otherwise throws `busy`. It is never repeated: after
 * `lost` or `timeout` the caller has to look whether it ran. Output beyond the limit is dropped.
 */
export async function runCommand(
  context: CallContext,
  target: SshTarget,
  argv: readonly string[],
  options: CommandOptions,
): Promise<CommandResult & { readonly isTruncated: boolean }> {
  const { maxBytes = defaultMaxBytes, stdin = '', deadlineMs, signal } = options
  const words = `${inputSize(stdin)} ${commandLine(argv, options.env)}`
  const call = {
    script: remoteScripts.run,
    words,
    stdin,
    maxBytes,
    dropsOutput: true,
    observes: false,
    deadlineMs,
    signal,
  }
  const result = await callScript(context, target, call)
  throwIfRefused(target, result)
  return { ...commandResult(result), isTruncated: result.isTruncated }
}

/** Throws the error that an answer means: another change is in progress, or standard input did not arrive. */
export function throwIfRefused({ address }: SshTarget, { words }: CallResult): void {
  const errors: Readonly<Record<string, () => SshError>> = {
    busy: sshErrors(address).busy,
    cut: sshErrors(address).lost,
  }
  const refused = errors[words[0] ?? '']
  if (refused) throw refused()
}

const commandResult = ({ code, signal, rest, stderr }: CallResult): CommandResult => ({
  code,
  signal,
  stdout: cleanText(rest.toString('utf8')),
  stderr,
})
