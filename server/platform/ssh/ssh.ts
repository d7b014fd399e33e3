import type { CallOptions } from './call.ts'
import { readCommand, runCommand, sendTo, type CommandOptions, type CommandResult } from './commands.ts'
import { connect, connectShell, readHostKey, type ConnectOptions } from './connect.ts'
import { ConnectionPool } from './connection-pool.ts'
import type { HostKey } from './host-key.ts'
import { cancelJob, followJob, removeJob, startJob } from './remote-jobs.ts'
import type { FollowedJob, RemoteJobSpec, RemoteJobState, RemoteLogPosition } from './remote-jobs.ts'
import type { RemoteShell, TerminalSize } from './shell.ts'
import type { SshTarget } from './ssh-target.ts'

/**
 * Runs commands on servers, over one connection to each. Addresses must be public, or allowed by the operator. Everything throws
 * SshError, `invalid` for an address that is not allowed, or the reason of the caller's signal.
 */
export interface Ssh {
  /** Reads the host key of a server, for somebody to confirm. Nothing else is sent. */
  firstContact(server: Pick<SshTarget, 'address' | 'port'>, signal?: AbortSignal): Promise<HostKey>
  /** See `readCommand`. */
  read(target: SshTarget, argv: readonly string[], options: CommandOptions): Promise<CommandResult>
  /** See `sendTo`. */
  send(
    target: SshTarget,
    argv: readonly string[],
    options: CallOptions & { readonly content: Buffer },
  ): Promise<CommandResult>
  /** See `runCommand`. */
  run(
    target: SshTarget,
    argv: readonly string[],
    options: CommandOptions,
  ): Promise<CommandResult & { readonly isTruncated: boolean }>
  /** See `startJob`. */
  start(target: SshTarget, job: RemoteJobSpec, options: CallOptions): Promise<void>
  /** See `followJob`. */
  follow(
    target: SshTarget,
    job: { readonly id: string; readonly from: RemoteLogPosition },
    options: CallOptions,
  ): Promise<FollowedJob>
  /** See `cancelJob`. */
  cancel(
    target: SshTarget,
    job: { readonly id: string; readonly graceSeconds: number },
    options: CallOptions,
  ): Promise<RemoteJobState>
  /** See `removeJob`. */
  remove(target: SshTarget, id: string, options: CallOptions): Promise<void>
  /** Opens a shell on a connection of its own, which ends with it. */
  shell(target: SshTarget, size: TerminalSize, options: CallOptions): Promise<RemoteShell>
  /** Ends all connections besides those of shells. Jobs on servers go on. */
  close(): void
}

/** Creates the runner of commands on servers. */
export function createSsh(options: ConnectOptions): Ssh {
  const { timers } = options
  const pool = new ConnectionPool((target) => connect(target, options), timers)
  const context = { pool, timers }
  return {
    firstContact: (server, signal) => readHostKey(server, options, signal),
    read: (target, argv, limits) => readCommand(context, target, argv, limits),
    send: (target, argv, limits) => sendTo(context, target, argv, limits),
    run: (target, argv, limits) => runCommand(context, target, argv, limits),
    start: (target, job, limits) => startJob(context, target, job, limits),
    follow: (target, job, limits) => followJob(context, target, job, limits),
    cancel: (target, job, limits) => cancelJob(context, target, job, limits),
    remove: (target, id, limits) => removeJob(context, target, id, limits),
    shell: (target, size, limits) => connectShell(target, options, size, limits),
    close: () => pool.close(),
  }
}
