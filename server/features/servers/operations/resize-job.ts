import type { JobContext, JobDefinition, StepWait } from '#server/contracts/job.ts'
import { formatTimestamp } from '#server/jobs/clock.ts'
import type { MachinePrice } from '#server/providers/provider.ts'
import { AppError } from '#shared/errors.ts'
import { msg, type LocalizedMessage } from '#shared/localized-message.ts'
import { serverOfJob, writeServer } from '../job-parts.ts'
import { machineOfJob, priceFields, untilRuns } from '../machine-of-job.ts'
import { isAway, untilAnswers } from '../remote/answers.ts'
import { measureStep } from '../remote/measure-server.ts'
import { failureValues, healthyValues } from '../server-fields.ts'
import { sshTarget } from '../server-target.ts'
import type { ServersContext } from '../servers-context.ts'
import { operationJob } from './operation-job.ts'

type ResizeArgs = { vm_type: string }

/** `server.resize`: the machine is turned off, gets another type, and is turned on again, also if it could not get it. */
export function resizeJob(context: ServersContext): JobDefinition<ResizeArgs> {
  return operationJob<ResizeArgs>('resize', {
    label: ({ referenceTitle }) => `Resize ${referenceTitle}`,
    detail: ({ vm_type }) => msg`to ${vm_type}`,
    deadlineSeconds: 3600,
    steps: async () => [
      {
        key: 'check',
        label: 'Check the machine type',
        shows: [{ name: 'price', label: 'Price per month' }],
        run: (job) => check(context, job as JobContext<ResizeArgs>),
      },
      {
        key: 'off',
        label: 'Turn it off',
        deadlineSeconds: 600,
        destructive: true,
        run: (job) => turnOff(context, job),
      },
      {
        key: 'type',
        label: 'Change the machine type',
        deadlineSeconds: 1200,
        weight: 3,
        run: (job) => changeType(context, job as JobContext<ResizeArgs>),
      },
      {
        key: 'on',
        label: 'Turn it on',
        deadlineSeconds: 600,
        shows: [{ name: 'address', label: 'Address' }],
        run: (job) => turnOn(context, job),
      },
      {
        key: 'contact',
        label: 'Connect by SSH',
        deadlineSeconds: 900,
        weight: 2,
        run: async (job) =>
          untilAnswers(context.ssh, job, sshTarget(await serverOfJob(job)), {
            reason: msg`Waiting until it has started again`,
            seconds: 5,
          }),
      },
      measureStep(context),
    ],
    done: ({ referenceName }, tx) => writeServer(tx, referenceName, healthyValues),
    async failed(job, { message }) {
      const { status } = await serverOfJob(job)
      // Nothing was done to it yet.
      if (status !== 'Rebooting') return 'undone'
      const { provider, id } = await machineOfJob(context, job)
      await provider.machines.powerOn(id, job.signal)
      // It is asked again every five minutes.
      const values = failureValues('Disconnected', message, formatTimestamp(context.clock.now()))
      await job.transaction((tx) => writeServer(tx, job.referenceName, values))
      return job.kept['changed'] === true ? undefined : 'undone'
    },
  })
}

async function check(context: ServersContext, job: JobContext<ResizeArgs>): Promise<void> {
  const { vm_region, disk } = await serverOfJob(job)
  const { provider, observe } = await machineOfJob(context, job)
  const machine = await observe()
  const types = await provider.machineTypes(vm_region ?? machine.region, job.signal)
  const named = (name: string) => types.find((type) => type.name === name)
  const [wanted, now] = [named(job.args.vm_type), named(machine.type)]
  const refused = (message: LocalizedMessage) =>
    new AppError('invalid', message, { field: 'vm_type', nextAction: msg`Choose another machine type.` })
  if (!wanted?.available)
    throw refused(wanted?.reason ?? msg`${provider.label} has no machine type ${job.args.vm_type} there.`)
  if (now && now.architecture !== wanted.architecture)
    throw refused(msg`${wanted.name} has another processor architecture than ${now.name}.`)
  if (wanted.diskBytes !== null && wanted.diskBytes < (disk ?? 0))
    throw refused(msg`The disk of ${wanted.name} is smaller than that of the server.`)
  const { price } = wanted
  if (price !== null) job.keep({ ...price, price: `${price.monthly} ${price.currency}` })
}

/** How long a machine may take to shut down before its power is cut. */
const shutdownMs = 120_000

async function turnOff(context: ServersContext, job: JobContext): Promise<StepWait | undefined> {
  const { provider, id, observe, waiting } = await machineOfJob(context, job)
  await job.transaction((tx) => writeServer(tx, job.referenceName, { status: 'Rebooting' }))
  if ((await observe()).status === 'off') return undefined
  const asked = Number(job.kept['asked'] ?? 0)
  if (asked === 0) {
    job.keep({ asked: await shutDown(context, job) })
  } else if (context.clock.now() - asked > shutdownMs && job.kept['cut'] !== true) {
    await provider.machines.powerOff(id, job.signal)
    job.keep({ cut: true })
  }
  return waiting(5)
}

/** Asks a machine to shut down. Returns when; long ago if it does not answer. */
async function shutDown({ ssh, clock }: ServersContext, job: JobContext): Promise<number> {
  const target = sshTarget(await serverOfJob(job))
  try {
    await ssh.run(target, ['systemctl', 'poweroff'], { deadlineMs: 30_000, signal: job.signal })
  } catch (error) {
    if (!isAway(error)) throw error
    job.log(error.message)
    // The connection of one that shuts down breaks.
    if (error.kind !== 'lost') return 1
  }
  return clock.now()
}

async function changeType(context: ServersContext, job: JobContext<ResizeArgs>): Promise<StepWait | undefined> {
  const { vm_type } = job.args
  const { provider, id, observe, waiting } = await machineOfJob(context, job)
  if ((await observe()).type !== vm_type) {
    if (job.kept['ordered'] !== true) await provider.machines.changeType(id, vm_type, job.signal)
    job.keep({ ordered: true })
    return waiting(5)
  }
  const { monthly, hourly, currency } = job.kept as Partial<MachinePrice>
  const price = monthly && hourly && currency ? { monthly, hourly, currency } : null
  job.keep({ changed: true })
  await job.transaction((tx) => writeServer(tx, job.referenceName, { vm_type, ...priceFields(price) }))
  return undefined
}

async function turnOn(context: ServersContext, job: JobContext): Promise<StepWait | undefined> {
  const { provider, id, observe, waiting } = await machineOfJob(context, job)
  if ((await observe()).status !== 'off') return untilRuns(context, job, 'Rebooting')
  await provider.machines.powerOn(id, job.signal)
  return waiting(3)
}
