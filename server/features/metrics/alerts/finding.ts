import type { AlertMetric } from '#shared/rules/alert-rules.ts'

/** What a rule found at a server just now. */
export interface Finding {
  readonly server: string
  readonly metric: AlertMetric
  /** Which service, which certificate; '' for what a server has one of. */
  readonly subject: string
  /** `mixed`: sometimes above the threshold; `unknown`: not observed. Neither starts or ends an incident. */
  readonly verdict: 'firing' | 'fine' | 'mixed' | 'unknown'
  /** The last value; null for what has none. */
  readonly value: number | null
}
