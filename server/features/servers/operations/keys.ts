import type { JobContext, JobDefinition, JobStepDefinition } from '#server/contracts/job.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { authorizeReference } from '#server/jobs/authorize.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import { enqueueFor, serverOfJob } from '../job-parts.ts'
import { runScript } from '../remote/run-script.ts'
import { sshTarget } from '../server-target.ts'
import type { ServersContext } from '../servers-context.ts'

/** A step that makes the machine accept the keys of its organization and its own. `changed`: it had others. */
export function keysStep(
  { ssh }: ServersContext,
  changed: (job: JobContext) => void = () => undefined,
): JobStepDefinition {
  return {
    key: 'keys',
    label: 'Add SSH keys',
    deadlineSeconds: 120,
    async run(job) {
      const server = await serverOfJob(job)
      const organization = await job.transaction((tx) => tx.get(OrganizationDoctype, server.organization))
      const lines = `${organization?.default_authorized_keys ?? ''}\n${server.authorized_keys ?? ''}`.split('\n')
      const args = [...new Set(lines.map((line) => line.trim()))].filter((line) => line !== '' && !line.startsWith('#'))
      const said = await runScript(ssh, sshTarget(server), 'authorized-keys', { args, signal: job.signal })
      if (said.trim() === 'changed') changed(job)
    },
  }
}

/** `server.push_keys`: a machine accepts the SSH keys that its document lists now. */
export function pushKeysJob(context: ServersContext): JobDefinition {
  return {
    type: 'server.push_keys',
    label: ({ referenceTitle }) => `Update the SSH keys on ${referenceTitle}`,
    deadlineSeconds: 300,
    cancel: { possible: false, reason: 'It takes a moment only.' },
    authorize: authorizeReference(ServerDoctype, 'write'),
    steps: async () => [keysStep(context)],
  }
}

/** Brings the keys of a document to its machine, if there is one. Throws LockedError while a job changes it. */
export async function pushKeys(context: ServersContext, tx: Tx, server: Server): Promise<void> {
  const isSetUp = server.engine_host === null && server.ssh_host_key !== null
  if (!isSetUp || ['Failed', 'Decommissioning', 'Decommissioned'].includes(server.status ?? '')) return
  await enqueueFor(context, tx, server, { type: 'server.push_keys' })
}
