import type { JobContext } from '#server/contracts/job.ts'
import { crashPoint } from '#server/platform/processes/crash-point.ts'
import { operationLabel } from '#server/providers/provider.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import type { ServersContext } from '../servers-context.ts'
import { providerOfJob } from '../machine-of-job.ts'
import { serverLabel } from '../provision/machine-labels.ts'

/**
 * Deletes the machine that a server has at its provider, if any: found by its label if an order's answer was lost, by its id if it has
 * lost its label. It is not observed, which fails for a machine that could not be started. Returns whether the provider has none any
 * more; otherwise call it again.
 */
export async function removeMachineOf(context: ServersContext, job: JobContext): Promise<boolean> {
  const server = await job.transaction((tx) => tx.get(ServerDoctype, job.referenceName))
  if (!server || server.cloud_provider === null || server.cloud_provider === 'Custom') return true
  return removeMachines(context, job, { known: server.provider_id, keep: null })
}

/** Deletes all machines of a server but that of the order `keep`. `known`: id of one of them. Returns as `removeMachineOf` does. */
export async function removeMachines(
  context: ServersContext,
  job: JobContext,
  { known, keep }: { readonly known: string | null; readonly keep: string | null },
): Promise<boolean> {
  const { machines } = await providerOfJob(context, job)
  const listed = await machines.list({ name: serverLabel, value: job.referenceName }, job.signal)
  const labelled = listed.filter(({ labels }) => labels[operationLabel] !== keep)
  const ids = new Set([...labelled.map(({ id }) => id), ...(known === null ? [] : [known])])
  for (const id of ids) await machines.delete(id, job.signal)
  crashPoint('server.machine/deleted')
  return labelled.length === 0
}
