import type { JobContext, JobStepDefinition, StepWait } from '#server/contracts/job.ts'
import type { SshTarget } from '#server/platform/ssh/ssh-target.ts'
import { crashPoint } from '#server/platform/processes/crash-point.ts'
import { parseHostKey } from '#server/platform/ssh/host-key.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { serverOfJob, writeServer } from '../job-parts.ts'
import { priceFields, providerOfJob, untilRuns } from '../machine-of-job.ts'
import { isAway, untilAnswers } from '../remote/answers.ts'
import { runScript } from '../remote/run-script.ts'
import { sshTarget } from '../server-target.ts'
import type { ServersContext } from '../servers-context.ts'
import { installationLabel, installationOf, serverLabel } from './machine-labels.ts'
import { operationOf, removeEarlier } from './order-elsewhere.ts'
import { generateFirstHostKey, userData } from './user-data.ts'

/** Orders a machine, waits until it runs, and knows it at the first contact by a host key that was sent along. */
export function machineSteps(context: ServersContext, provider: string): JobStepDefinition[] {
  return [
    {
      key: 'order',
      label: `Order the machine at ${provider}`,
      deadlineSeconds: 600,
      shows: [
        { name: 'provider_id', label: 'Machine' },
        { name: 'price', label: 'Price per month' },
      ],
      run: (job) => order(context, job),
    },
    {
      key: 'address',
      label: 'Wait until it runs',
      deadlineSeconds: 900,
      weight: 2,
      shows: [{ name: 'address', label: 'Address' }],
      run: (job) => untilRuns(context, job, 'Setting Up'),
    },
    {
      key: 'contact',
      label: 'Connect by SSH',
      deadlineSeconds: 900,
      weight: 2,
      run: async (job) => {
        // It accepts our key at the end of its first start only.
        const wait = { reason: msg`Waiting for its first start`, seconds: 5 }
        return untilAnswers(context.ssh, job, await firstTarget(job), wait)
      },
    },
    {
      key: 'host_key',
      label: 'Make another host key',
      deadlineSeconds: 120,
      run: async (job) => {
        const target = await firstTarget(job)
        const line = await runScript(context.ssh, target, 'host-key', { args: ['make'], signal: job.signal })
        const key = parseHostKey(line.trim())
        if (key === null)
          throw new AppError('unavailable', msg`The machine made no host key.`, { nextAction: msg`Retry.` })
        job.keep({ host_line: key.line, fingerprint: key.fingerprint })
      },
    },
    {
      key: 'pin',
      label: 'Use the new host key only',
      deadlineSeconds: 300,
      shows: [{ name: 'fingerprint', label: 'Fingerprint' }],
      run: (job) => pin(context, job),
    },
  ]
}

async function order(context: ServersContext, job: JobContext): Promise<StepWait | undefined> {
  const wait = await removeEarlier(context, job)
  if (wait) return wait
  const server = await serverOfJob(job)
  const { machines, machineTypes } = await providerOfJob(context, job)
  const { vm_region: region, vm_type: type, hostname } = server
  if (region === null || type === null) throw new AppError('invalid', msg`Region and machine type are missing.`)
  const offered = (await machineTypes(region, job.signal)).find(({ name }) => name === type)
  const firstKey = await firstHostKey(job)
  const keys = [await machines.ensureKey(await context.deps.publicKey(), region, job.signal)]
  const machine = await machines.create(
    {
      operation: operationOf(job),
      name: hostname,
      region,
      type,
      diskGigabytes: server.vm_ebs_size ?? 40,
      keys,
      userData: userData(firstKey),
      labels: { [serverLabel]: server.name, [installationLabel]: await installationOf(context.deps) },
    },
    job.signal,
  )
  crashPoint('server.create/ordered')
  const price = offered?.price ?? null
  job.keep({ provider_id: machine.id, ...(price === null ? {} : { price: `${price.monthly} ${price.currency}` }) })
  await job.transaction((tx) =>
    writeServer(tx, server.name, { provider_id: machine.id, vm_image: 'Ubuntu 24.04 LTS', ...priceFields(price) }),
  )
  return undefined
}

/** The same for every attempt, because the machine may have been ordered with it. */
async function firstHostKey(job: JobContext): Promise<ReturnType<typeof generateFirstHostKey>> {
  return job.transaction(async (tx) => {
    await tx.get(ServerDoctype, job.referenceName, { lock: true })
    const stored = await tx.secret(ServerDoctype, job.referenceName, 'first_host_key')
    if (stored !== null) return JSON.parse(stored) as ReturnType<typeof generateFirstHostKey>
    const made = generateFirstHostKey()
    await writeServer(tx, job.referenceName, { first_host_key: JSON.stringify(made) })
    return made
  })
}

async function firstTarget(job: JobContext): Promise<SshTarget> {
  const { publicKey } = await firstHostKey(job)
  return sshTarget(await serverOfJob(job), publicKey)
}

/**
 * Makes the machine use the new host key, which was stored before, and only then believes no other any more. An attempt before may
 * have come that far.
 */
async function pin(context: ServersContext, job: JobContext) {
  const { ssh } = context
  const line = String(job.kept['host_line'] ?? '')
  const target = sshTarget(await serverOfJob(job), line)
  const waiting = { reason: msg`Waiting for its SSH server`, seconds: 2 }
  try {
    // Asked first: that it still has the other key is no change to warn of.
    if ((await ssh.firstContact(target, job.signal)).line !== line) {
      await runScript(ssh, await firstTarget(job), 'host-key', { args: ['use'], signal: job.signal })
      return waiting
    }
    await ssh.read(target, ['true'], { deadlineMs: 20_000, signal: job.signal })
  } catch (error) {
    if (!isAway(error)) throw error
    return waiting
  }
  const host_key = parseHostKey(line)?.fingerprint ?? null
  await job.transaction((tx) =>
    writeServer(tx, job.referenceName, { ssh_host_key: line, host_key, first_host_key: null }),
  )
  return undefined
}
