import { ExternalCall } from '#server/contracts/controller.ts'
import { type Server } from '#shared/doctypes/server.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { writeServer } from '../job-parts.ts'
import type { ServersContext } from '../servers-context.ts'
import { keyConfirmedEvent } from './confirmed-key-step.ts'

/** An admin says that a host key is that of their server. It must be the one the server shows now. */
export async function confirmHostKey(
  { deps, ssh }: ServersContext,
  { name, public_ipv4: address, ssh_port: port }: Server,
  fingerprint: string,
): Promise<ExternalCall> {
  if (address === null) throw new AppError('invalid', msg`The server has no address.`, { field: 'public_ipv4' })
  return new ExternalCall(
    async (signal) => {
      const key = await ssh.firstContact({ address, port: port ?? 22 }, signal)
      if (key.fingerprint !== fingerprint)
        throw new AppError('conflict', msg`The server shows another host key: ${key.fingerprint}.`, {
          field: 'fingerprint',
          nextAction: msg`Compare it with the one on the server itself before you confirm it.`,
        })
      return async (_now, { tx }) => {
        await writeServer(tx, name, { ssh_host_key: key.line })
        await deps.jobs().wake(tx, keyConfirmedEvent(name))
        return null
      }
    },
    { after: { fingerprint } },
    60_000,
  )
}
