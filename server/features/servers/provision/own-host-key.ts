import { ExternalCall } from '#server/contracts/controller.ts'
import type { JobStepDefinition } from '#server/contracts/job.ts'
import type { Server } from '#shared/doctypes/server.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { serverOfJob, writeServer } from '../job-parts.ts'
import { sshAddress } from '../server-target.ts'
import type { ServersContext } from '../servers-context.ts'

/** Event that the fingerprint of a server was confirmed. */
const keyConfirmedEvent = (server: string): string => `server.host_key.${server}`

/** Waits until an admin has said that the host key which somebody's own machine shows is its own. */
export function confirmedKeyStep({ ssh }: ServersContext): JobStepDefinition {
  return {
    key: 'host_key',
    label: 'Confirm its fingerprint',
    deadlineSeconds: 80_000,
    shows: [{ name: 'fingerprint', label: 'Fingerprint' }],
    async run(job) {
      const server = await serverOfJob(job)
      const { ssh_host_key: pinned, host_key: confirmed, name } = server
      if (pinned !== null) return undefined
      const { fingerprint, line } = await ssh.firstContact(sshAddress(server), job.signal)
      job.keep({ fingerprint })
      if (fingerprint === confirmed) return job.transaction((tx) => writeServer(tx, name, { ssh_host_key: line }))
      return {
        reason: msg`Waiting until somebody confirms the fingerprint`,
        seconds: 300,
        event: keyConfirmedEvent(name),
      }
    },
  }
}

/** An admin says that a host key is that of their server. It must be the one the server shows now. */
export async function confirmHostKey(
  { deps, ssh }: ServersContext,
  server: Server,
  fingerprint: string,
): Promise<ExternalCall> {
  const at = sshAddress(server, 'invalid')
  return new ExternalCall(
    async (signal) => {
      const key = await ssh.firstContact(at, signal)
      if (key.fingerprint !== fingerprint)
        throw new AppError('conflict', msg`The server shows another host key: ${key.fingerprint}.`, {
          field: 'fingerprint',
          nextAction: msg`Compare it with the one on the server itself before you confirm it.`,
        })
      return async ({ name }, { tx }) => {
        await writeServer(tx, name, { ssh_host_key: key.line, host_key: key.fingerprint })
        await deps.jobs().wake(tx, keyConfirmedEvent(name))
        return null
      }
    },
    { after: { fingerprint } },
    60_000,
  )
}
