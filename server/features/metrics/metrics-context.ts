import type { Documents } from '#server/contracts/documents.ts'
import type { MachineTokens } from '#server/contracts/machine-tokens.ts'
import type { Engine } from '#server/engines/engine.ts'
import type { Clock } from '#server/jobs/clock.ts'
import type { RateLimiter } from '#server/platform/rate-limit.ts'

/** Dependencies of the metrics feature. */
export interface MetricsDeps {
  documents: () => Documents
  /** Engines of this process by name. */
  engines: Readonly<Record<string, Engine>>
  machineTokens: MachineTokens
  rateLimiter: Pick<RateLimiter, 'hit'>
  clock?: Clock
  /** Id of this machine if several share one database; must match the servers feature. */
  machine?: string
  /** Address of this dashboard. */
  url: string
}

/** Context of the metrics feature. */
export interface MetricsContext extends MetricsDeps {
  readonly clock: Clock
}
