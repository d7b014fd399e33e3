import type { JobDefinition } from '#server/contracts/job.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { machineOfJob } from '../machine-of-job.ts'
import type { ServersContext } from '../servers-context.ts'
import { operationJob } from './operation-job.ts'

type SnapshotArgs = { label: string }

/** `server.snapshot`: an image of a machine's disk, which stays at its provider until somebody deletes it there. */
export function snapshotJob(context: ServersContext): JobDefinition<SnapshotArgs> {
  return operationJob<SnapshotArgs>('snapshot', {
    label: ({ referenceTitle }) => `Take a snapshot of ${referenceTitle}`,
    detail: ({ label }) => msg`named ${label}`,
    deadlineSeconds: 14_400,
    steps: async ({ args: { label } }) => [
      {
        key: 'order',
        label: 'Order the snapshot',
        deadlineSeconds: 300,
        async run(job) {
          const { provider, id } = await machineOfJob(context, job)
          const made = await provider.machines.snapshot({ operation: job.job, machine: id, label }, job.signal)
          job.keep({ snapshot: made.id })
        },
      },
      {
        key: 'wait',
        label: 'Wait until it is complete',
        deadlineSeconds: 14_000,
        weight: 5,
        shows: [
          { name: 'snapshot', label: 'Snapshot' },
          { name: 'size', label: 'Size' },
        ],
        async run(job) {
          const { provider, waiting } = await machineOfJob(context, job)
          const { snapshot } = job.kept
          const found = await provider.machines.observeSnapshot(String(snapshot), job.signal)
          if (found === null)
            throw new AppError('conflict', msg`The snapshot was deleted at ${provider.label}.`, {
              nextAction: msg`Take another one.`,
            })
          if (found.status !== 'ready') return waiting(10)
          const { sizeBytes } = found
          job.keep({ snapshot: found.id, size: sizeBytes === null ? null : `${(sizeBytes / 1e9).toFixed(1)} GB` })
          job.log(`It stays at ${provider.label}, and costs money there until it is deleted in the console.`)
          return undefined
        },
      },
    ],
  })
}
