import type { FailureEnd, JobContext, JobDefinition, JobFailure, JobStepDefinition } from '#server/contracts/job.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import type { NativeBackup } from '#server/engines/site-backups.ts'
import { formatTimestamp, systemClock } from '#server/jobs/clock.ts'
import { messageOf, notPutBack } from '#server/jobs/failure.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import type { SitesDeps } from '../deps.ts'
import {
  authorizeSite,
  engineSteps,
  markFailed,
  measuredFields,
  showQueued,
  siteAndEngine,
  writeSite,
  type BackedUpArgs,
} from '../job-parts.ts'
import { checkChangedPage } from '../page-check.ts'
import { pageCheckStep } from '../page-check-step.ts'
import { takenBack, withTakenBack } from '../taken-back.ts'
import { expectGoneUsers } from '../wordpress-users/user-table.ts'
import { withBackupBefore } from './backup-first.ts'
import { nothingKept, transferSeconds, writeBackup } from './backup-parts.ts'

/** Arguments of `site.restore_imported`. */
export type ImportedArgs = BackedUpArgs & { readonly backup: string; readonly native: NativeBackup }

const isUnchanged = msg`The site was not changed.`
const wayBack = msg`To get back the state before, restore the backup that this job began with.`

const halfway: JobFailure = {
  code: 'unavailable',
  message: msg`A restore by EasyEngine was canceled after it had begun.`,
  nextAction: wayBack,
}

/**
 * `site.restore_imported`: has EasyEngine put back a backup that it made by itself. That goes over the served site, and keeps no state before, so
 * it always begins with a backup of ours, which is the way back.
 */
export function restoreImportedJob(deps: SitesDeps): JobDefinition<ImportedArgs> {
  const whole = withBackupBefore(deps, afterBackupJob(deps))
  return {
    ...whole,
    async steps(context) {
      const { site, native } = await nativeOf(deps, context)
      const look: JobStepDefinition = {
        key: 'look',
        label: 'Look whether EasyEngine has the backup',
        weight: 0,
        deadlineSeconds: 300,
        run: ({ signal }) => native.assertKept(site, context.args.native, signal),
      }
      return [takenBack(look, isUnchanged), ...(await whole.steps(context))]
    },
  }
}

async function nativeOf(deps: SitesDeps, context: JobContext<ImportedArgs>) {
  const { site, engine } = await siteAndEngine(deps, context, 'restore')
  const { native } = engine.restores
  if (native === undefined) throw new AppError('unsupported', msg`The server of the site has no EasyEngine.`)
  return { site, engine, native }
}

/** The job without the backup that it begins with. */
function afterBackupJob(deps: SitesDeps): JobDefinition<ImportedArgs> {
  return {
    type: 'site.restore_imported',
    label: ({ referenceTitle }) => `Restore ${referenceTitle} from a backup of EasyEngine`,
    deadlineSeconds: transferSeconds + 7_200,
    cancel: { possible: true },
    authorize: authorizeSite('write'),
    nextAction: () => msg`Look at the log of this job, and at the site.`,

    async queued(input, tx) {
      await showQueued(tx, input, 'Restoring', ['Failed', input.args.was])
      await writeBackup(tx, input.args.backup, { status: 'Restoring' })
    },

    async steps(context) {
      const { site, engine, native } = await nativeOf(deps, context)
      return [
        // Whatever stops the job before this is recorded has changed nothing of the site.
        { key: 'begin', label: 'Begin', weight: 0, run: async (step) => step.keep({ begun: 1 }) },
        ...engineSteps(native.restoreSteps(site, context.args.native)).map((step) =>
          explained(deps, context, {
            ...step,
            ...(step.key === 'compare' && { continueAnyway: 'The site stays as EasyEngine restored it.' }),
          }),
        ),
        explained(
          deps,
          context,
          pageCheckStep(deps, engine, site, (signal) => checkChangedPage(engine, site, signal)),
        ),
        {
          key: 'forget',
          label: 'Remove what an earlier restore kept',
          weight: 0,
          deadlineSeconds: 3_600,
          async run(step) {
            try {
              // Whenever that was, by the clock of the server.
              await engine.restores.forgetKept(site, (deps.clock ?? systemClock).now() + 86_400_000)
              step.keep({ forgotten: 1 })
            } catch (error) {
              // The site is restored all the same, and what is kept can still be had back.
              step.log(messageOf(error))
            }
          },
        },
      ]
    },

    done: (context, tx) => finish(deps, context, tx),

    async failed(context, failure): Promise<FailureEnd | void> {
      await context.transaction((tx) => writeBackup(tx, context.args.backup, { status: 'Ready' }))
      try {
        if ((await outcomeOf(deps, context)) === 'untouched') {
          await stay(context)
          return 'undone'
        }
      } catch (problem) {
        await markFailed(context, notPutBack(failure, problem))
        return { kept: problem }
      }
      await markFailed(context, failure)
    },

    async canceled(context) {
      const outcome = await outcomeOf(deps, context)
      await context.transaction((tx) => writeBackup(tx, context.args.backup, { status: 'Ready' }))
      if (outcome === 'untouched') {
        await stay(context)
        return msg`the site keeps its files and content`
      }
      if (outcome === 'restored' && (await answers(deps, context)))
        return msg`the site has the state of the backup already`
      await markFailed(context, halfway)
      return msg`EasyEngine had begun, and the site is neither in the one state nor in the other`
    },
  }
}

/** What became of the site. Without a step that began, nothing did, whether or not its server can be asked. */
async function outcomeOf(deps: SitesDeps, context: JobContext<ImportedArgs>) {
  if (context.kept['begun'] === undefined) return 'untouched'
  const { site, native } = await nativeOf(deps, context)
  return native.outcome(site, context.job)
}

/** Has the errors of a step say what the site is like after it. */
const explained = (deps: SitesDeps, context: JobContext<ImportedArgs>, step: JobStepDefinition): JobStepDefinition => ({
  ...step,
  async run(own) {
    try {
      return await step.run(own)
    } catch (error) {
      if (own.signal.aborted) throw error
      const end = await outcomeOf(deps, context).catch(() => null)
      throw withTakenBack(error, end === 'untouched' ? isUnchanged : wayBack)
    }
  },
})

async function finish(deps: SitesDeps, context: JobContext<ImportedArgs>, tx: Tx): Promise<void> {
  const { backup } = context.args
  const isForgotten = context.kept['forgotten'] !== undefined
  await writeSite(tx, context.referenceName, {
    ...(isForgotten ? { ...nothingKept, pushed_at: null, pushed_from: null } : {}),
    status: 'Live',
    deployed_commit: null,
    failure: null,
  })
  await writeBackup(tx, backup, { status: 'Ready' })
  await expectGoneUsers(tx, context.referenceName, formatTimestamp((deps.clock ?? systemClock).now()))
}

async function stay(context: JobContext<ImportedArgs>): Promise<void> {
  await context.transaction((tx) => writeSite(tx, context.referenceName, { status: context.args.was, failure: null }))
}

/** Ends the job of a site that was restored before it was canceled. False if the homepage does not load. */
async function answers(deps: SitesDeps, context: JobContext<ImportedArgs>): Promise<boolean> {
  const { site, engine } = await nativeOf(deps, context)
  try {
    const fields = await measuredFields(deps, engine, site, await checkChangedPage(engine, site, context.signal))
    await context.transaction(async (tx) => {
      await writeSite(tx, site.id, fields)
      await finish(deps, context, tx)
    })
    return true
  } catch (error) {
    context.signal.throwIfAborted()
    context.log(messageOf(error))
    return false
  }
}
