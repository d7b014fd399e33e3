import { AppError, type ErrorCode } from '#shared/errors.ts'
import { msg, type LocalizedMessage } from '#shared/localized-message.ts'

/** Why a command on a server has no result. */
export type SshErrorKind =
  /** No connection, or what answers is no SSH server we can talk to. */
  | 'unreachable'
  /** The server does not accept our key. */
  | 'refused_key'
  /** It has another host key than before. Nothing was sent. */
  | 'host_key_changed'
  /** The deadline passed. A command that changes the server may go on there. */
  | 'timeout'
  /** The connection broke. A command that changes the server may have run. */
  | 'lost'
  /** It sent more than we read. */
  | 'too_much_output'
  /** Another change is in progress there. Nothing was done. */
  | 'busy'
  /** It did not run our script, for example because it has no shell or wants a password for sudo. */
  | 'unexpected'

const codes: Partial<Record<SshErrorKind, ErrorCode>> = { host_key_changed: 'conflict', busy: 'locked' }
const isRetryable = new Set<SshErrorKind>(['unreachable', 'timeout', 'lost', 'busy'])

/** An error of a connection to a server. `retryable` presumes that the repeated work looks first at what was done. */
export class SshError extends AppError {
  readonly kind: SshErrorKind
  constructor(kind: SshErrorKind, message: LocalizedMessage, nextAction: LocalizedMessage, cause?: unknown) {
    super(codes[kind] ?? 'unavailable', message, { nextAction, retryable: isRetryable.has(kind), cause })
    this.name = 'SshError'
    this.kind = kind
  }
}

/** The errors of a server at an address. */
export function sshErrors(address: string) {
  return {
    unreachable: (cause?: unknown) =>
      new SshError(
        'unreachable',
        msg`No SSH connection to ${address}.`,
        msg`Check that the server runs and that its firewall allows SSH from this installation.`,
        cause,
      ),
    refusedKey: (user: string, cause?: unknown) =>
      new SshError(
        'refused_key',
        msg`${address} rejected the SSH key for the user ${user}.`,
        msg`Add this installation's public key to the authorized keys of that user.`,
        cause,
      ),
    unusableKey: (cause?: unknown) =>
      new SshError(
        'refused_key',
        msg`There is no usable SSH key for ${address}.`,
        msg`Set up the connection to the server again.`,
        cause,
      ),
    hostKeyChanged: (known: string, found: string) =>
      new SshError(
        'host_key_changed',
        msg`The SSH host key of ${address} changed from ${known} to ${found}.`,
        msg`If you reinstalled the server, confirm its new fingerprint. Otherwise find out what answers at this address first.`,
      ),
    timeout: () =>
      new SshError(
        'timeout',
        msg`${address} did not finish in time.`,
        msg`Retry. If it takes too long again, check how busy the server is.`,
      ),
    lost: (cause?: unknown) =>
      new SshError(
        'lost',
        msg`The connection to ${address} broke.`,
        msg`Look at the state of the server, then retry.`,
        cause,
      ),
    tooMuchOutput: () =>
      new SshError(
        'too_much_output',
        msg`${address} sent more than expected.`,
        msg`Look at what runs on the server: the output of a command there has no end.`,
      ),
    busy: () => new SshError('busy', msg`Another change of ${address} is in progress.`, msg`Retry when it has ended.`),
    /** @param reason what the server says, in one clean line */
    unexpected: (reason: string) =>
      new SshError(
        'unexpected',
        msg`${address} can't run commands: ${reason}`,
        msg`Check that the user has a POSIX shell, and is root or can use sudo without a password.`,
      ),
  }
}
