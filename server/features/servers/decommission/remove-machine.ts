import type { JobContext } from '#server/contracts/job.ts'
import { operationLabel } from '#server/providers/provider.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import type { ServersContext } from '../servers-context.ts'
import { providerOfJob } from '../provision/machine-steps.ts'

/**
 * Deletes the machine that a server has at its provider, if any: found by its label if an order's answer was lost, by its id if it has
 * lost its label. It is not observed, which fails for a machine that could not be started. Returns whether the provider has none any
 * more; otherwise call it again.
 */
export async function removeMachineOf(context: ServersContext, job: JobContext): Promise<boolean> {
  const server = await job.transaction((tx) => tx.get(ServerDoctype, job.referenceName))
  if (!server || server.cloud_provider === null || server.cloud_provider === 'Custom') return true
  const { machines } = await providerOfJob(context, job)
  const labelled = await machines.list({ name: operationLabel, value: server.name }, job.signal)
  const known = server.provider_id === null ? [] : [server.provider_id]
  for (const id of new Set([...labelled.map((machine) => machine.id), ...known])) await machines.delete(id, job.signal)
  return labelled.length === 0
}
