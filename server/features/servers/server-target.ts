import type { SshTarget } from '#server/platform/ssh/ssh-target.ts'
import type { Server } from '#shared/doctypes/server.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'

/** A server as SSH identifies it. Throws `unavailable` while its address or host key is not known. */
export function sshTarget(server: Server, hostKey: string | null = server.ssh_host_key): SshTarget {
  const { name, public_ipv4: address, ssh_port: port, ssh_user: user } = server
  if (address === null)
    throw new AppError('unavailable', msg`The server has no address yet.`, {
      nextAction: msg`Enter its public IPv4 address.`,
    })
  if (hostKey === null)
    throw new AppError('unavailable', msg`The host key of the server is not known yet.`, {
      nextAction: msg`Confirm its fingerprint.`,
    })
  return { id: name, address, port: port ?? 22, user: user ?? 'root', hostKey }
}
