import type { JobContext, JobDefinition, JobFailure, JobStepDefinition } from '#server/contracts/job.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { SiteBackupDoctype } from '#shared/doctypes/site-backup.ts'
import type { SitesDeps } from '../deps.ts'
import { siteOf, type BackedUpArgs, type SiteJobArgs } from '../job-parts.ts'
import {
  backupSeconds,
  dropBackup,
  failBackup,
  finishBackup,
  insertBackup,
  makingSteps,
  unfinishedBackup,
} from './backup-job.ts'

/** A backup that is made at the beginning of a job that does something else to the site. */
interface FirstBackup<A extends SiteJobArgs> {
  /** Makes and keeps it. */
  steps(context: JobContext<A>): Promise<JobStepDefinition[]>
  /**
   * Ends it if it is not stored yet; one that is stays, whatever became of the job. Resolves with whether the job has to begin with it
   * again: it did nothing else.
   */
  failed(context: JobContext<A>, failure: JobFailure): Promise<boolean>
  canceled(context: JobContext<A>): Promise<void>
}

/** The backup at the beginning of a job. `nameOf`: its name; null if the job makes none, or has not begun it. */
export function firstBackup<A extends SiteJobArgs>(
  deps: SitesDeps,
  nameOf: (context: JobContext<A>) => Promise<string | null>,
): FirstBackup<A> {
  /** Null: there is none, or it was ready; somebody can have deleted it since. */
  const unready = async (context: JobContext<A>): Promise<string | null> => {
    const backup = await nameOf(context)
    const made = backup && (await context.transaction((tx) => tx.get(SiteBackupDoctype, backup)))
    return made && ['Queued', 'Running', 'Failed'].includes(made.status ?? '') ? made.name : null
  }
  return {
    async steps(context) {
      const name = async () => (await nameOf(context)) ?? ''
      const making = await makingSteps(deps, context, name)
      return [
        ...making.map((step) => ({ ...step, key: `backup_${step.key}` })),
        {
          key: 'backup_keep',
          label: 'Keep the backup',
          weight: 0,
          async run(step) {
            const backup = await name()
            await step.transaction((tx) => finishBackup(deps, tx, context.referenceName, backup))
          },
        },
      ]
    },
    async failed(context, failure) {
      const backup = await unready(context)
      return backup !== null && (await failBackup(deps, context, backup, failure)) === 'undone'
    },
    async canceled(context) {
      const backup = await unready(context)
      if (backup !== null) await dropBackup(deps, context, backup)
    },
  }
}

/**
 * A job that can break more than it takes back by itself: with `backup_to`, it begins with a backup of the site. An attempt
 * after one that was taken back makes its own, as what came to the site since then is not in the other. `isOptional`: if none can be
 * made, the job goes on, for one that keeps the state before by itself.
 */
export function withBackupBefore<A extends BackedUpArgs>(
  deps: SitesDeps,
  job: JobDefinition<A>,
  { isOptional = false }: { readonly isOptional?: boolean } = {},
): JobDefinition<A> {
  // The job holds the site, so one that is not finished is its own.
  const begun = async (context: JobContext<A>, tx: Tx): Promise<string | null> =>
    typeof context.kept['backup'] === 'string'
      ? context.kept['backup']
      : ((await unfinishedBackup(tx, context.referenceName))?.name ?? null)
  const first = firstBackup<A>(deps, async (context) =>
    context.args.backup_to === undefined || context.kept['without_backup'] !== undefined
      ? null
      : context.transaction((tx) => begun(context, tx)),
  )
  const orWithout = (step: JobStepDefinition): JobStepDefinition => ({
    ...step,
    async skipped(context, failure) {
      // The job has these arguments: its definition has the steps.
      await first.failed(context as unknown as JobContext<A>, failure)
      context.keep({ without_backup: 1 })
    },
  })
  return {
    ...job,
    deadlineSeconds: job.deadlineSeconds + backupSeconds,
    async steps(context) {
      const { backup_to: store } = context.args
      if (store === undefined) return job.steps(context)
      const insert: JobStepDefinition = {
        key: 'backup',
        label: 'Back up before the change',
        weight: 0,
        run: async (step) => {
          const site = await siteOf(context)
          const backup = await step.transaction(
            async (tx) =>
              (await begun(context, tx)) ?? insertBackup(deps, tx, site, { kind: 'before a change', store }),
          )
          step.keep({ backup })
        },
      }
      const making = [insert, ...(await first.steps(context))]
      return [...(isOptional ? making.map(orWithout) : making), ...(await job.steps(context))]
    },
    async failed(context, failure) {
      const isFirst = await first.failed(context, failure)
      const end = await job.failed?.(context, failure)
      return isFirst && typeof end !== 'object' ? 'undone' : end
    },
    ...(job.canceled && {
      async canceled(context) {
        await first.canceled(context)
        return job.canceled!(context)
      },
    }),
  }
}
