import { serverRef } from '#server/engines/site-ref.ts'
import type { SshTarget } from '#server/platform/ssh/ssh-target.ts'
import type { Server } from '#shared/doctypes/server.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'

/** Where the SSH server of a server answers. Throws `code` while its address is not known: for people `invalid`, who can enter it. */
export function sshAddress(
  server: Server,
  code: 'unavailable' | 'invalid' = 'unavailable',
): Pick<SshTarget, 'address' | 'port'> {
  const { address, port } = serverRef(server)
  if (address !== null) return { address, port }
  throw new AppError(code, msg`The server has no address yet.`, {
    nextAction: msg`Enter its public IPv4 address.`,
  })
}

/** A server as SSH identifies it. Throws `unavailable` while its address or host key is not known. */
export function sshTarget(server: Server, hostKey: string | null = server.ssh_host_key): SshTarget {
  const { id, user } = serverRef(server)
  if (hostKey !== null) return { id, user, hostKey, ...sshAddress(server) }
  throw new AppError('unavailable', msg`The host key of the server is not known yet.`, {
    nextAction: msg`Confirm its fingerprint.`,
  })
}
