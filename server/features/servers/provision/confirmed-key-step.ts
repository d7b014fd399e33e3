import type { JobStepDefinition } from '#server/contracts/job.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { serverOfJob, writeServer } from '../job-parts.ts'
import type { ServersContext } from '../servers-context.ts'

/** Event that the fingerprint of a server was confirmed. */
export const keyConfirmedEvent = (server: string): string => `server.host_key.${server}`

/** Somebody's own machine: an admin says that the host key which it shows is its own. */
export function confirmedKeyStep({ ssh }: ServersContext): JobStepDefinition {
  return {
    key: 'host_key',
    label: 'Confirm its fingerprint',
    deadlineSeconds: 80_000,
    shows: [{ name: 'fingerprint', label: 'Fingerprint' }],
    async run(job) {
      const {
        public_ipv4: address,
        ssh_port: port,
        ssh_host_key: pinned,
        host_key: confirmed,
        name,
      } = await serverOfJob(job)
      if (pinned !== null) return undefined
      if (address === null)
        throw new AppError('invalid', msg`The server has no address.`, {
          nextAction: msg`Enter its public IPv4 address.`,
        })
      const { fingerprint, line } = await ssh.firstContact({ address, port: port ?? 22 }, job.signal)
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
