import type { Site } from '#shared/doctypes/site.ts'
import type { Problem } from '#web/documents/values/problem.tsx'

/** Whether a site doesn't work: it failed, or it is live and down. */
export function hasFailed({ status, health }: Partial<Site>): boolean {
  return status === 'Failed' || (status === 'Live' && health === 'Down')
}

/** Its reason and times. The last contact of a site that was checked before it was recorded is unknown. */
export function siteProblem(site: Partial<Site>): Problem {
  return {
    reason: site.failure_reason,
    reasonI18n: site.failure_reason_i18n,
    since: site.failure_since,
    lastContact: site.last_answer_at ?? (site.health_checked_at ? undefined : null),
  }
}
