import type { JobDefinition } from '#server/contracts/job.ts'
import { authorizeReference } from '#server/jobs/authorize.ts'
import { formatTimestamp } from '#server/jobs/clock.ts'
import { isBackupQuota } from '#server/providers/wpcloud/wpcloud.ts'
import type { WpCloudBackup } from '#server/providers/wpcloud/wpcloud-backups.ts'
import { WpcSiteDoctype } from '#shared/doctypes/wpc-site.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import type { WpcBackupKind } from '#shared/rules/wp-cloud.ts'
import { readStep } from './read-site.ts'
import {
  accountOfJob,
  failureFields,
  untilDone,
  waitForWpCloud,
  writeWpcSite,
  type WpcContext,
  type WpcJobArgs,
} from './wpc-context.ts'

/** `wpc_site.backup`: asks for a backup and waits until WP Cloud lists it. */
export function backupJob(context: WpcContext): JobDefinition<WpcJobArgs> {
  return {
    type: 'wpc_site.backup',
    label: ({ referenceTitle }) => `Back up ${referenceTitle}`,
    detail: ({ value }) => (value === 'fs' ? msg`(files)` : msg`(database)`),
    deadlineSeconds: 14_400,
    cancel: { possible: false, reason: 'WP Cloud cannot stop a backup.' },
    authorize: authorizeReference(WpcSiteDoctype, { action: 'backup' }),
    steps: async ({ args }) => {
      const kind = args.value as WpcBackupKind
      const newest = (backups: readonly WpCloudBackup[]) =>
        backups.find((one) => one.isOnDemand && one.kind === kind)?.id ?? ''
      return [
        {
          key: 'order',
          label: 'Ask WP Cloud for a backup',
          deadlineSeconds: 300,
          async run(job) {
            const { cloud, id } = await accountOfJob(context, job)
            const last = newest(await cloud.backups(id, job.signal))
            // A second attempt: the first one was taken, and there is one more than it saw.
            if (typeof job.kept['last'] === 'string' && job.kept['last'] !== last) return
            job.keep({ last })
            try {
              await cloud.requestBackup(id, kind, job.signal)
            } catch (error) {
              if (!isBackupQuota(error)) throw error
              throw new AppError(
                'conflict',
                msg`The site has as many backups on demand of this kind as WP Cloud keeps.`,
                {
                  nextAction: msg`Delete one of them first.`,
                  cause: error,
                },
              )
            }
          },
        },
        {
          key: 'wait',
          label: 'Wait until it is complete',
          deadlineSeconds: 14_000,
          async run(job) {
            const { cloud, id } = await accountOfJob(context, job)
            const found = newest(await cloud.backups(id, job.signal))
            return found === job.kept['last'] ? waitForWpCloud(15) : undefined
          },
        },
      ]
    },
  }
}

/** `wpc_site.delete_backup`: of a backup on demand, until it is gone. */
export function deleteBackupJob(context: WpcContext): JobDefinition<WpcJobArgs> {
  return {
    type: 'wpc_site.delete_backup',
    label: ({ referenceTitle }) => `Delete a backup of ${referenceTitle}`,
    deadlineSeconds: 3600,
    cancel: { possible: false, reason: 'A backup that is being deleted cannot be kept.' },
    authorize: authorizeReference(WpcSiteDoctype, { action: 'delete_backup' }),
    steps: async ({ args: { value = '' } }) => [
      {
        key: 'delete',
        label: 'Delete it at WP Cloud',
        deadlineSeconds: 3000,
        destructive: true,
        async run(job) {
          const { cloud, id } = await accountOfJob(context, job)
          const found = (await cloud.backups(id, job.signal)).find((one) => one.id === value)
          if (!found) return undefined
          if (!found.isOnDemand)
            throw new AppError('invalid', msg`WP Cloud keeps this backup itself, and deletes it after 30 days.`, {
              field: 'backup',
            })
          await cloud.deleteBackup(id, value, job.signal)
          return waitForWpCloud()
        },
      },
    ],
  }
}

/** `wpc_site.restore`: files and database of one moment replace those of the site. */
export function restoreJob(context: WpcContext): JobDefinition<WpcJobArgs> {
  return {
    type: 'wpc_site.restore',
    label: ({ referenceTitle }) => `Restore ${referenceTitle}`,
    deadlineSeconds: 14_400,
    cancel: { possible: false, reason: 'WP Cloud cannot stop a restore.' },
    authorize: authorizeReference(WpcSiteDoctype, { action: 'restore' }),
    nextAction: () => msg`Retry. Until then the site may be suspended: Resume opens it again.`,
    queued: ({ referenceName }, tx) => writeWpcSite(tx, referenceName, { status: 'Restoring' }),
    steps: async ({ args: { value = '' } }) => [
      {
        key: 'choose',
        label: 'Look for the backup of the other kind',
        deadlineSeconds: 120,
        shows: [
          { name: 'files', label: 'Files' },
          { name: 'database', label: 'Database' },
        ],
        async run(job) {
          const { cloud, id } = await accountOfJob(context, job)
          job.keep({
            ...chosenPair(await cloud.backups(id, job.signal), value),
            was: await cloud.setting(id, 'suspended', job.signal),
          })
        },
      },
      {
        key: 'restore',
        label: 'Restore at WP Cloud',
        deadlineSeconds: 600,
        destructive: true,
        async run(job) {
          const { cloud, id } = await accountOfJob(context, job)
          const { fs, db } = job.kept
          await cloud.set(id, 'allow_restore', String(Math.floor(context.clock.now() / 1000)), job.signal)
          await cloud.set(id, 'suspended', '503', job.signal)
          job.keep({ vendor_job: await cloud.restore(id, [String(fs), String(db)], job.signal) })
        },
      },
      {
        key: 'wait',
        label: 'Wait until it is complete',
        deadlineSeconds: 13_000,
        weight: 5,
        async run(job) {
          const { cloud } = await accountOfJob(context, job)
          return untilDone(cloud, String(job.kept['vendor_job']), job.signal)
        },
      },
      {
        key: 'open',
        label: 'Open the site again',
        deadlineSeconds: 300,
        async run(job) {
          const { cloud, id } = await accountOfJob(context, job)
          const { was } = job.kept
          if (typeof was === 'string' && was !== '503') await cloud.set(id, 'suspended', was, job.signal)
          else await cloud.unset(id, 'suspended', job.signal)
        },
      },
      readStep(context),
    ],
    async failed(job, { message, nextAction }) {
      await job.transaction(async (tx) => {
        if (!(await tx.get(WpcSiteDoctype, job.referenceName, { lock: true }))) return
        const reason = failureFields(context, msg`${message} ${nextAction}`)
        await writeWpcSite(tx, job.referenceName, { status: 'Failed', ...reason })
      })
    },
  }
}

/** A backup, and the one of the other kind that is nearest in time: WP Cloud restores both together. */
function chosenPair(backups: readonly WpCloudBackup[], wanted: string): Record<string, string> {
  const chosen = backups.find(({ id }) => id === wanted)
  if (!chosen)
    throw new AppError('invalid', msg`WP Cloud no longer has this backup.`, {
      field: 'backup',
      nextAction: msg`Choose another one.`,
    })
  const [other] = backups
    .filter(({ kind }) => kind !== chosen.kind)
    .toSorted((one, two) => Math.abs(one.at - chosen.at) - Math.abs(two.at - chosen.at))
  if (!other)
    throw new AppError('conflict', msg`WP Cloud restores files and database together, and has a backup of one only.`, {
      nextAction: msg`Back up the other one first.`,
    })
  const [files, database] = chosen.kind === 'fs' ? [chosen, other] : [other, chosen]
  return { fs: files.id, db: database.id, files: formatTimestamp(files.at), database: formatTimestamp(database.at) }
}
