import type { JobContext, StepWait } from '#server/contracts/job.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import type { Server } from '#shared/doctypes/server.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { removeMachines } from '../decommission/remove-machine.ts'
import { serverOfJob, writeServer } from '../job-parts.ts'
import { assertOrderable } from '../new-server.ts'
import type { ServersContext } from '../servers-context.ts'

/** Arguments of `server.create` once its machine was ordered more than once; none for the first order. */
interface CreateArgs {
  /** Number of the order, from 2. */
  readonly order?: number
  /** Id of the machine that an order before made; null if none is known. */
  readonly before?: string | null
}

/** What a machine is ordered by. */
type Place = Required<Pick<Server, 'vm_country' | 'vm_region' | 'vm_type'>> & Partial<Pick<Server, 'vm_ebs_size'>>

/** Continues the failed creation of a server with a machine of another region or type. Throws `invalid` if its creation has not failed. */
export async function orderElsewhere(
  { deps }: ServersContext,
  tx: Tx,
  doc: Server,
  { vm_country, vm_region, vm_type, vm_ebs_size }: Place,
): Promise<{ job: string }> {
  assertOrderable({ vm_region, vm_type })
  const disk = vm_ebs_size ?? doc.vm_ebs_size
  if (vm_region === doc.vm_region && vm_type === doc.vm_type && disk === doc.vm_ebs_size)
    throw new AppError('invalid', msg`That is what could not be ordered. Choose another region or machine type.`, {
      field: 'vm_type',
      nextAction: msg`Retry orders the same again.`,
    })
  const [job] = await tx.list(
    JobDoctype,
    [
      ['reference_doctype', '=', 'Server'],
      ['reference_name', '=', doc.name],
    ],
    { order_by: 'creation desc', limit: 1 },
  )
  if (job?.job_type !== 'server.create' || job.status !== 'Failed')
    throw new AppError('invalid', msg`Only the machine of a server whose creation failed can be ordered elsewhere.`)
  await writeServer(tx, doc.name, { vm_country, vm_region, vm_type, vm_ebs_size: disk })
  const { order = 1 } = (job.args ?? {}) as CreateArgs
  await deps.jobs().startOver(tx, job.name, { order: order + 1, before: doc.provider_id } satisfies CreateArgs)
  return { job: job.name }
}

/** The operation of an order: a machine that was ordered elsewhere is another one. */
export function operationOf({ args, referenceName }: JobContext): string {
  const { order = 1 } = args as CreateArgs
  return order === 1 ? referenceName : `${referenceName}x${order}`
}

/** Gives back what orders before this one made, also those whose answer was lost. */
export async function removeEarlier(context: ServersContext, job: JobContext): Promise<StepWait | undefined> {
  const { order = 1, before = null } = job.args as CreateArgs
  if (order === 1) return undefined
  if (!(await removeMachines(context, job, { known: before, keep: operationOf(job) })))
    return { reason: msg`Waiting until the machine that was ordered before is deleted`, seconds: 3 }
  const { provider_id } = await serverOfJob(job)
  if (provider_id === before) await job.transaction((tx) => writeServer(tx, job.referenceName, noMachine))
  return undefined
}

/** What a server without a machine has of it. */
const noMachine = {
  provider_id: null,
  public_ipv4: null,
  public_ipv6: null,
  ssh_host_key: null,
  host_key: null,
  metrics_agent: 0,
  price_monthly: null,
  price_hourly: null,
  price_currency: null,
} as const satisfies Partial<Server>
