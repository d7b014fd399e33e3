import type { JobContext, JobDefinition, StepWait } from '#server/contracts/job.ts'
import type { SshTarget } from '#server/platform/ssh/ssh-target.ts'
import { formatTimestamp } from '#server/jobs/clock.ts'
import { msg } from '#shared/localized-message.ts'
import { serverOfJob, writeServer } from '../job-parts.ts'
import { machineOfJob } from '../machine-of-job.ts'
import { isAway } from '../remote/answers.ts'
import { measureStep } from '../remote/measure-server.ts'
import { endedWith } from '../remote/run-script.ts'
import { failureValues, healthyValues } from '../server-fields.ts'
import { sshTarget } from '../server-target.ts'
import type { ServersContext } from '../servers-context.ts'
import { operationJob } from './operation-job.ts'

/** `server.reboot`: the machine starts again, which it tells by another boot id. One that does not answer is reset at its provider. */
export function rebootJob(context: ServersContext): JobDefinition {
  return operationJob('reboot', {
    label: ({ referenceTitle }) => `Reboot ${referenceTitle}`,
    deadlineSeconds: 1800,
    nextAction: () => msg`Look at its console at the provider, then retry.`,
    queued: ({ referenceName }, tx) => writeServer(tx, referenceName, { status: 'Rebooting' }),
    steps: async () => [
      { key: 'ask', label: 'Read its boot id', deadlineSeconds: 300, run: (job) => ask(context, job) },
      { key: 'restart', label: 'Restart it', deadlineSeconds: 900, weight: 5, run: (job) => restart(context, job) },
      measureStep(context),
    ],
    done: ({ referenceName }, tx) => writeServer(tx, referenceName, healthyValues),
    async failed(job, { message }) {
      // It is asked again every five minutes.
      const values = failureValues('Disconnected', message, formatTimestamp(context.clock.now()))
      await job.transaction((tx) => writeServer(tx, job.referenceName, values))
    },
  })
}

/** How often a machine is asked before it is reset. */
const asks = 3

/** Keeps the boot id; '' if the machine does not answer and can be reset. */
async function ask(context: ServersContext, job: JobContext): Promise<StepWait | undefined> {
  const server = await serverOfJob(job)
  try {
    job.keep({ boot: await bootId(context, sshTarget(server), job.signal) })
    return undefined
  } catch (error) {
    if (!isAway(error) || server.provider_id === null) throw error
    job.log(error.message)
    const asked = Number(job.kept['asked'] ?? 0) + 1
    job.keep(asked < asks ? { asked } : { boot: '' })
    return asked < asks ? { reason: msg`Waiting for an answer`, seconds: 10 } : undefined
  }
}

async function restart(context: ServersContext, job: JobContext): Promise<StepWait | undefined> {
  const target = sshTarget(await serverOfJob(job))
  const { boot = '', ordered = false } = job.kept
  try {
    const now = await bootId(context, target, job.signal)
    if (now !== boot && (ordered || boot !== '')) return undefined
    if (!ordered) {
      job.keep({ boot: now })
      await order(context, target, job.signal)
    }
  } catch (error) {
    if (!isAway(error)) throw error
    job.log(error.message)
    if (!ordered && boot === '') {
      const { provider, id } = await machineOfJob(context, job)
      await provider.machines.reset(id, job.signal)
    }
  }
  job.keep({ ordered: true })
  return { reason: msg`Waiting until it has started again`, seconds: 5 }
}

/** Its connection may end before its answer. */
async function order({ ssh }: ServersContext, target: SshTarget, signal: AbortSignal): Promise<void> {
  const { code, stderr } = await ssh.run(target, ['systemctl', 'reboot'], { deadlineMs: 30_000, signal })
  if (code !== 0) throw endedWith(code, stderr)
}

/** Another one after each start. */
async function bootId({ ssh }: ServersContext, target: SshTarget, signal: AbortSignal): Promise<string> {
  const words = ['sh', '-c', 'cat "${EASYDASH_ROOT-}/proc/sys/kernel/random/boot_id"']
  const { code, stdout, stderr } = await ssh.read(target, words, { deadlineMs: 20_000, signal })
  if (code !== 0) throw endedWith(code, stderr)
  return stdout.trim().slice(0, 60)
}
