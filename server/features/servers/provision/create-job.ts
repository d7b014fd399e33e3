import { authorizeReference } from '#server/jobs/authorize.ts'
import type { JobDefinition, JobStepDefinition } from '#server/contracts/job.ts'
import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import { msg, type LocalizedMessage } from '#shared/localized-message.ts'
import { markServerFailed, serverOfJob, writeServer } from '../job-parts.ts'
import { healthyValues } from '../server-fields.ts'
import type { ServersContext } from '../servers-context.ts'
import { removeMachineOf } from '../decommission/remove-machine.ts'
import { importSteps } from '../easyengine/import-steps.ts'
import { confirmedKeyStep } from './own-host-key.ts'
import { machineSteps } from './machine-steps.ts'
import { setupSteps } from './setup-steps.ts'

/** `server.create`: a machine, ordered at a provider or somebody's own, becomes a server. Canceling gives an ordered machine back. */
export function createServerJob(context: ServersContext): JobDefinition {
  return {
    type: 'server.create',
    label: ({ referenceTitle }) => `Create ${referenceTitle}`,
    // Somebody's own machine waits for the confirmation of its fingerprint.
    deadlineSeconds: 86_400,
    cancel: { possible: true },
    authorize: authorizeReference(ServerDoctype, 'write'),
    nextAction: () => msg`Retry, or delete the server.`,

    async queued({ referenceName }, tx) {
      const none = { failure_reason: null, failure_reason_i18n: null, failure_since: null }
      await writeServer(tx, referenceName, { status: 'Provisioning', ...none })
    },

    async steps(job): Promise<JobStepDefinition[]> {
      const { cloud_provider: provider, is_imported_with_ee: isImported } = await serverOfJob(job)
      if (isImported === 1) return [confirmedKeyStep(context), ...importSteps(context)]
      const isOwn = provider === null || provider === 'Custom'
      return [...(isOwn ? [confirmedKeyStep(context)] : machineSteps(context, provider)), ...setupSteps(context)]
    },

    async done({ referenceName }, tx) {
      await writeServer(tx, referenceName, healthyValues)
    },

    async failed(job, failure) {
      const server = await job.transaction((tx) => tx.get(ServerDoctype, job.referenceName))
      await markServerFailed(job, context.clock, failure, server && costsOn(server))
    },

    async canceled(job) {
      const hadNone = await removeMachineOf(context, job)
      await job.transaction(async (tx) => {
        if (await tx.get(ServerDoctype, job.referenceName, { lock: true }))
          await tx.delete(ServerDoctype, job.referenceName, { activity: false })
      })
      return hadNone ? msg`the server was removed` : msg`the server was removed, and its provider deletes the machine`
    },
  }
}

/** What keeps costing money after a failure. */
function costsOn({ provider_id, cloud_provider, price_hourly, price_currency }: Server): LocalizedMessage | null {
  if (provider_id === null) return null
  return price_hourly === null
    ? msg`The machine at ${String(cloud_provider)} keeps running, and is billed there.`
    : msg`The machine at ${String(cloud_provider)} keeps running, for ${price_hourly} ${String(price_currency)} per hour.`
}
