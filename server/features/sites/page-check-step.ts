import type { Engine } from '#server/engines/engine.ts'
import type { SiteRef } from '#server/engines/site-ref.ts'
import { formatTimestamp, systemClock } from '#server/jobs/clock.ts'
import type { JobContext, JobStepDefinition } from '#server/contracts/job.ts'
import type { SitesDeps } from './deps.ts'
import { measuredFields, writeSite } from './job-parts.ts'
import { requestThumbnail } from './thumbnail-table.ts'
import type { PageCheckResult } from './page-check.ts'

/**
 * The last step of jobs that change a site: requests its page like a visitor, stores the results (health, response time,
 * version, disk usage) and requests a new thumbnail. `check` throws if the page is not acceptable.
 */
export function pageCheckStep(
  deps: SitesDeps,
  engine: Engine,
  site: SiteRef,
  check: (signal: AbortSignal, step: JobContext) => Promise<PageCheckResult>,
): JobStepDefinition {
  return {
    key: 'check_page',
    label: 'Load the homepage',
    weight: 1,
    deadlineSeconds: 120,
    async run(step) {
      const fields = await measuredFields(deps, engine, site, await check(step.signal, step))
      await step.transaction(async (tx) => {
        await writeSite(tx, site.id, fields)
        await requestThumbnail(tx, site.id, formatTimestamp((deps.clock ?? systemClock).now()))
      })
    },
  }
}
