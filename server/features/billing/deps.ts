import type { Documents } from '#server/contracts/documents.ts'
import type { Clock } from '#server/jobs/clock.ts'
import type { Log } from '#server/platform/log/log.ts'

/** Dependencies of the billing feature. */
export interface BillingDeps {
  /** Late bound: the store is created with our controllers. */
  readonly documents: () => Documents
  readonly log: Log
  readonly clock?: Pick<Clock, 'now'>
}
