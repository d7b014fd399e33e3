import type { Documents } from '#server/contracts/documents.ts'
import type { Clock } from '#server/jobs/clock.ts'
import type { Schedule } from '#server/jobs/schedule.ts'
import type { Config } from '#server/platform/config/config.ts'
import type { Log } from '#server/platform/log/log.ts'

/** Dependencies of the billing feature. */
export interface BillingDeps {
  readonly config: Pick<Config, 'stripe'>
  /** Late bound: the store is created with our controllers. */
  readonly documents: () => Documents
  readonly log: Log
  /** Schedules the check for due plan changes; missing where nothing is scheduled. */
  readonly schedule?: () => Pick<Schedule, 'add'>
  readonly clock?: Pick<Clock, 'now'>
}
