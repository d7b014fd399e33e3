import type { Site } from '#shared/doctypes/site.ts'
import type { Problem } from '#web/documents/values/problem.tsx'

/** Whether a site doesn't work: it failed, or it is live and down. */
export function hasFailed({ status, health }: Partial<Site>): boolean {
  return status === 'Failed' || (status === 'Live' && health === 'Down')
}

/** Its reason and times. A site was in contact when it was last checked. */
export function siteProblem(site: Partial<Site>): Problem {
  return {
    reason: site.failure_reason,
    reasonI18n: site.failure_reason_i18n,
    since: site.failure_since,
    lastContact: site.health_checked_at,
  }
}
