import type { JobDefinition } from '#server/contracts/job.ts'
import { formatTimestamp, systemClock } from '#server/jobs/clock.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { msg } from '#shared/localized-message.ts'
import type { SitesDeps } from '../deps.ts'
import { authorizeSite, engineSteps, siteAndEngine, onServerNow, type PairArgs } from '../job-parts.ts'
import { writePlan } from './plan-table.ts'

/** `site.plan_push`: finds what a push from a staging site would do. Changes nothing. */
export function planPushJob(deps: SitesDeps): JobDefinition<PairArgs> {
  return {
    type: 'site.plan_push',
    label: ({ referenceTitle, args }) => `Compare ${referenceTitle} with ${args.other.domain}`,
    deadlineSeconds: 2_400,
    cancel: { possible: true },
    async authorize(context, tx) {
      await authorizeSite('write')(context, tx)
      const source = (await tx.get(SiteDoctype, context.referenceName))?.staging_of
      if (source && (await tx.get(SiteDoctype, source)))
        await authorizeSite('write')({ ...context, referenceName: source }, tx)
    },
    nextAction: () => msg`Neither site was changed.`,

    async steps(context) {
      const { site: staging, engine } = await siteAndEngine(deps, context, 'staging')
      const live = await onServerNow(context, context.args.other)
      return engineSteps(
        engine.staging.planSteps(live, staging, (plan) =>
          context.transaction(async (tx) => {
            if (await tx.get(SiteDoctype, staging.id, { lock: true }))
              await writePlan(tx, staging.id, plan, formatTimestamp((deps.clock ?? systemClock).now()))
          }),
        ),
      )
    },

    canceled: async () => msg`neither site was changed`,
  }
}
