import { createPrivateKey, type KeyObject } from 'node:crypto'
import { AppError } from '#shared/errors.ts'
import type { Config } from '../config/config.ts'
import type { Log } from '../log/log.ts'
import { safeConnect } from '../network/safe-connect.ts'
import type { CallOptions } from './call.ts'
import { SshConnection } from './connection.ts'
import { withDeadline, type Timers } from './deadline.ts'
import { parseHostKey, type HostKey } from './host-key.ts'
import { openClient, seeHostKey, type Connected } from './open-client.ts'
import type { RemoteShell, TerminalSize } from './shell.ts'
import { SshError, sshErrors } from './ssh-error.ts'
import type { SshTarget } from './ssh-target.ts'

/** What connecting to servers needs. */
export interface ConnectOptions {
  readonly config: Pick<Config, 'addressMap' | 'allowPrivateCidrs'>
  /** Reads the private key for a server right before connecting: an Ed25519 key as PKCS #8 in PEM. Null if there is none. */
  readonly readKey: (target: SshTarget) => Promise<string | null>
  readonly timers: Timers
  readonly log: Log
}

/** Time for the connection, the handshake and the login. */
const connectMs = 20_000

/** Opens an authenticated connection. Throws SshError, or `invalid` for an address that is not allowed. */
export async function connect(target: SshTarget, options: ConnectOptions): Promise<SshConnection> {
  const { address, user } = target
  const hostKey = parseHostKey(target.hostKey)
  if (hostKey === null) throw new TypeError('The stored host key is malformed.')
  const privateKey = usableKey(await options.readKey(target), address)
  return withSocket(
    target,
    options,
    undefined,
    async (connected) =>
      new SshConnection(await openClient(connected, address, { user, privateKey, hostKey }), address, options.timers),
  ).catch((error: unknown) => {
    if (error instanceof SshError && error.kind === 'host_key_changed')
      options.log.warn('The host key of a server changed', { server: target.id, error })
    throw error
  })
}

/** Opens a shell on a connection of its own. Throws SshError, `invalid` for an address that is not allowed, or the reason of the signal. */
export async function connectShell(
  target: SshTarget,
  options: ConnectOptions,
  size: TerminalSize,
  { deadlineMs, signal }: CallOptions,
): Promise<RemoteShell> {
  const expired = sshErrors(target.address).timeout
  const connecting = connect(target, options)
  try {
    return await withDeadline(options.timers, { ms: deadlineMs, expired, signal }, async () =>
      (await connecting).openShell(size),
    )
  } catch (error) {
    connecting.then(
      (connection) => connection.close(),
      () => undefined,
    )
    throw error
  }
}

/** Reads the host key of a server. Throws SshError, `invalid` for an address that is not allowed, or the reason of the signal. */
export function readHostKey(
  server: Pick<SshTarget, 'address' | 'port'>,
  options: Pick<ConnectOptions, 'config' | 'timers'>,
  signal: AbortSignal | undefined,
): Promise<HostKey> {
  return withSocket(server, options, signal, (connected) => seeHostKey(connected, server.address))
}

/** Works on a new TCP connection, which is destroyed if the work fails or takes too long. */
function withSocket<T>(
  { address, port }: Pick<SshTarget, 'address' | 'port'>,
  { config, timers }: Pick<ConnectOptions, 'config' | 'timers'>,
  signal: AbortSignal | undefined,
  work: (connected: Connected) => Promise<T>,
): Promise<T> {
  const { unreachable } = sshErrors(address)
  const expired = () => unreachable(new Error(`Not connected after ${connectMs / 1000} s.`))
  return withDeadline(timers, { ms: connectMs, expired, signal }, async (aborted) => {
    // It takes 17 MB, and is not needed without servers.
    const { default: library } = await import('ssh2')
    const socket = await safeConnect(address, port, { profile: 'tenant', ...config, signal: aborted }).catch(
      (error: unknown) => {
        throw error instanceof AppError && error.code === 'unavailable' ? unreachable(error) : error
      },
    )
    try {
      return await work({ library, socket, signal: aborted })
    } catch (error) {
      socket.destroy()
      throw error
    }
  })
}

function usableKey(pem: string | null, address: string): KeyObject {
  const { unusableKey } = sshErrors(address)
  if (pem === null) throw unusableKey()
  try {
    const key = createPrivateKey(pem)
    if (key.asymmetricKeyType === 'ed25519') return key
  } catch (error) {
    throw unusableKey(error)
  }
  throw unusableKey(new Error('It is no Ed25519 key.'))
}
