import type { JobDefinition } from '#server/contracts/job.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { authorizeReference } from '#server/jobs/authorize.ts'
import { assertNotLocked } from '#server/jobs/enqueue.ts'
import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { msg, plural } from '#shared/localized-message.ts'
import { enqueueFor, markServerFailed, serverOfJob, writeServer } from '../job-parts.ts'
import { healthyValues } from '../server-fields.ts'
import type { ServersContext } from '../servers-context.ts'
import { leaveStep } from './leave-step.ts'
import { removeMachineOf } from './remove-machine.ts'

/** `server.decommission`: the machine is deleted at its provider, and observed to be gone. The document stays. */
export function decommissionJob(context: ServersContext): JobDefinition {
  return {
    type: 'server.decommission',
    label: ({ referenceTitle }) => `Decommission ${referenceTitle}`,
    deadlineSeconds: 5_400,
    cancel: { possible: false, reason: 'A machine that is being deleted cannot be kept.' },
    authorize: authorizeReference(ServerDoctype, 'delete'),
    nextAction: () => msg`Retry. If it fails again, delete the machine in the console of the provider.`,

    queued: ({ referenceName }, tx) => writeServer(tx, referenceName, { status: 'Decommissioning' }),

    async steps(job) {
      const { cloud_provider: provider } = await serverOfJob(job)
      if (provider === null || provider === 'Custom') return [leaveStep(context)]
      return [
        {
          key: 'delete',
          label: `Delete the machine at ${provider}`,
          deadlineSeconds: 1500,
          destructive: true,
          run: async (step) =>
            (await removeMachineOf(context, step)) ? undefined : { reason: msg`Waiting for ${provider}`, seconds: 3 },
        },
      ]
    },

    async done({ referenceName }, tx) {
      await writeServer(tx, referenceName, {
        ...healthyValues,
        status: 'Decommissioned',
        // Its account can be removed now.
        connection: null,
        ssh_private_key: null,
        first_host_key: null,
        randomised_http_auth: null,
        default_site_password: null,
      })
    },

    failed: (job, failure) => markServerFailed(job, context.clock, failure),
  }
}

/**
 * Starts the end of a server. A machine of the organization's own keeps the sites that it had before it was added: they are forgotten here,
 * and nothing is changed there. Throws `invalid` for this machine, and while the server has other sites.
 */
export async function startDecommission(context: ServersContext, tx: Tx, doc: Server): Promise<{ job: string }> {
  if (doc.engine_host !== null)
    throw new AppError('invalid', msg`This machine belongs to the installation and cannot be removed.`)
  const all = await tx.list(SiteDoctype, [['server', '=', doc.name]])
  const found = doc.cloud_provider === 'Custom' ? all.filter((site) => site.is_found === 1) : []
  const sites = all.length - found.length
  if (sites > 0)
    throw new AppError(
      'invalid',
      plural(sites, msg`The server still has ${sites} site.`, msg`The server still has ${sites} sites.`),
      { excType: 'LinkExistsError', nextAction: msg`Move or delete them permanently first, archived ones too.` },
    )
  for (const site of found) {
    await assertNotLocked(tx, site)
    await tx.delete(SiteDoctype, site.name)
  }
  return { job: await enqueueFor(context, tx, doc, { type: 'server.decommission' }) }
}
