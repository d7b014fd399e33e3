import type { JobDefinition } from '#server/contracts/job.ts'
import { msg } from '#shared/localized-message.ts'
import type { SitesDeps } from '../deps.ts'
import { translateEngineErrors } from '../engine-of.ts'
import { authorizeSite, siteAndEngine, type SiteJobArgs } from '../job-parts.ts'

/** `site.flush_cache`: clears the cache of WordPress. Doing it twice is no error. */
export function flushCacheJob(deps: SitesDeps): JobDefinition<SiteJobArgs> {
  return {
    type: 'site.flush_cache',
    label: ({ referenceTitle }) => `Clear the cache of ${referenceTitle}`,
    deadlineSeconds: 180,
    cancel: { possible: true },
    authorize: authorizeSite('write'),
    nextAction: () => msg`Look at the error log of the site.`,
    async steps(context) {
      const { site, engine } = await siteAndEngine(deps, context, 'wordpress')
      return [
        {
          key: 'flush',
          label: 'Clear the cache',
          async run({ signal }) {
            await translateEngineErrors(engine.wordpress.change(site, { kind: 'flush_cache' }, { safe: false, signal }))
          },
        },
      ]
    },
  }
}
