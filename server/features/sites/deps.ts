import type { Documents } from '#server/contracts/documents.ts'
import type { Engine } from '#server/engines/engine.ts'
import type { Clock } from '#server/jobs/clock.ts'
import type { Jobs } from '#server/contracts/job.ts'
import type { Log } from '#server/platform/log/log.ts'

/** Dependencies of the sites feature. */
export interface SitesDeps {
  documents: () => Documents
  /** Engines of this process by name (`local`, `fake`, …). */
  engines: Readonly<Record<string, Engine>>
  jobs: () => Jobs
  log: Log
  clock?: Clock
  /**
   * Id of this machine if several share one database; sites of an engine on this machine are then handled only by its own
   * process. Pass the same id to the servers feature, and `ENGINE:MACHINE` to the jobs as `hosts`.
   */
  machine?: string
}
