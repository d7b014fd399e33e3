import type { JobContext, StepWait } from '#server/contracts/job.ts'
import type { Machine, MachinePrice, Provider } from '#server/providers/provider.ts'
import type { Server } from '#shared/doctypes/server.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { serverOfJob, writeServer } from './job-parts.ts'
import type { ServersContext } from './servers-context.ts'

/** The provider of a server's machine, with its account. Throws AppError if the connection is gone. */
export async function providerOfJob(context: ServersContext, job: JobContext): Promise<Provider> {
  const server = await serverOfJob(job)
  return job.transaction((tx) => context.deps.providerOf(tx, server))
}

/** The machine of a job at its provider. `observe` throws `conflict` if it was deleted there. */
export async function machineOfJob(context: ServersContext, job: JobContext) {
  const { provider_id } = await serverOfJob(job)
  const id = provider_id ?? ''
  const provider = await providerOfJob(context, job)
  return {
    ...{ provider, id },
    async observe(): Promise<Machine> {
      const machine = await provider.machines.observe(id, job.signal)
      if (machine) return machine
      throw new AppError('conflict', msg`The machine was deleted at ${provider.label}.`, {
        nextAction: msg`Decommission this server and create it again.`,
      })
    },
    waiting: (seconds: number): StepWait => ({ reason: msg`Waiting for ${provider.label}`, seconds }),
  }
}

/** Waits until the machine of a job runs, and writes its addresses, which may be others than before. */
export async function untilRuns(
  context: ServersContext,
  job: JobContext,
  status: Server['status'],
): Promise<StepWait | undefined> {
  const { observe, waiting } = await machineOfJob(context, job)
  const { status: now, ipv4, ipv6 } = await observe()
  if (now !== 'running' || ipv4 === null) return waiting(3)
  job.keep({ address: ipv4 })
  await job.transaction((tx) => writeServer(tx, job.referenceName, { status, public_ipv4: ipv4, public_ipv6: ipv6 }))
  return undefined
}

/** What a machine costs as fields of a Server; as they are if the provider does not tell it. */
export const priceFields = (price: MachinePrice | null): Partial<Server> =>
  price === null ? {} : { price_monthly: price.monthly, price_hourly: price.hourly, price_currency: price.currency }
