import type { JobContext, JobDefinition } from '#server/contracts/job.ts'
import type { PushChoice } from '#server/engines/site-staging.ts'
import { formatTimestamp, systemClock } from '#server/jobs/clock.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { msg } from '#shared/localized-message.ts'
import { nothingKept } from '../backups/backup-parts.ts'
import type { SitesDeps } from '../deps.ts'
import {
  authorizeSite,
  engineSteps,
  onServerNow,
  siteAndEngine,
  type PairArgs,
  type SiteJobArgs,
} from '../job-parts.ts'
import { swappingJob } from '../swapping-job.ts'
import { deletePlan } from './plan-table.ts'

type PushArgs = PairArgs & { readonly choice: PushChoice }

async function stagingOf(deps: SitesDeps, context: JobContext<SiteJobArgs>) {
  const { site, engine } = await siteAndEngine(deps, context, 'staging')
  const { staging } = engine
  return { site, engine, finish: () => staging.finish(site), undo: () => staging.undo(site, context.job) }
}

/** `site.push`: brings the changes of a staging site to its source. Its reference is the source. */
export function pushJob(deps: SitesDeps): JobDefinition<PushArgs> {
  return {
    type: 'site.push',
    label: ({ referenceTitle, args }) => `Push ${args.other.domain} to ${referenceTitle}`,
    deadlineSeconds: 7_200,
    authorize: authorizeSite('write'),
    ...swappingJob<PushArgs>(deps, {
      of: (context) => stagingOf(deps, context),
      async steps(context) {
        const { session, args } = context
        await context.transaction(async (tx) => {
          if (await tx.get(SiteDoctype, args.other.id))
            await authorizeSite('write')({ session, referenceName: args.other.id }, tx)
        })
        const { site, engine } = await stagingOf(deps, context)
        return engineSteps(engine.staging.pushSteps(site, await onServerNow(context, args.other), args.choice))
      },
      async later(context) {
        const { site, engine } = await stagingOf(deps, context)
        const other = await onServerNow(context, context.args.other)
        return engineSteps(engine.staging.rememberSteps?.(site, other) ?? [])
      },
      async after(context, tx) {
        const { other } = context.args
        await deletePlan(tx, other.id)
        return {
          pushed_at: formatTimestamp((deps.clock ?? systemClock).now()),
          pushed_from: other.domain,
          ...nothingKept,
        }
      },
      shows: 'Updating',
      finished: msg`the site has the changes already`,
    }),
  }
}

/** `site.roll_back_push`: brings back the state before the last push. */
export function rollBackPushJob(deps: SitesDeps): JobDefinition<SiteJobArgs> {
  return {
    type: 'site.roll_back_push',
    label: ({ referenceTitle }) => `Roll back the push to ${referenceTitle}`,
    deadlineSeconds: 1_200,
    authorize: authorizeSite('write'),
    ...swappingJob<SiteJobArgs>(deps, {
      of: (context) => stagingOf(deps, context),
      async steps(context) {
        const { site, engine } = await stagingOf(deps, context)
        return engineSteps(engine.staging.rollBackSteps(site))
      },
      after: async () => ({ pushed_at: null, pushed_from: null }),
      shows: 'Updating',
      finished: msg`the site has its state before the push already`,
    }),
  }
}
