import type { JobContext } from '#server/contracts/job.ts'
import { operationLabel, type Machines } from '#server/providers/provider.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import type { ServersContext } from '../servers-context.ts'
import { providerOfJob } from '../machine-of-job.ts'

/** The machines of a server at its provider: by its id, and by its label if an order's answer was lost. */
async function machinesOf(
  machines: Machines,
  server: { readonly name: string; readonly provider_id: string | null },
  signal: AbortSignal,
): Promise<string[]> {
  const labelled = await machines.list({ name: operationLabel, value: server.name }, signal)
  const ids = new Set(labelled.map(({ id }) => id))
  // Only what the list lacks is observed: that throws for a machine that could not be started.
  const { provider_id: id } = server
  if (id !== null && !ids.has(id) && (await machines.observe(id, signal)) !== null) ids.add(id)
  return [...ids]
}

/**
 * Deletes the machine that a server has at its provider, if any. Returns whether the provider has none any more; otherwise call it
 * again.
 */
export async function removeMachineOf(context: ServersContext, job: JobContext): Promise<boolean> {
  const server = await job.transaction((tx) => tx.get(ServerDoctype, job.referenceName))
  if (!server || server.cloud_provider === null || server.cloud_provider === 'Custom') return true
  const { machines } = await providerOfJob(context, job)
  const found = await machinesOf(machines, server, job.signal)
  for (const id of found) await machines.delete(id, job.signal)
  return found.length === 0
}
