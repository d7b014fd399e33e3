/** A figure of this process at `/metrics`, without labels. */
export interface Metric {
  /** Unique; begins with `easydash_`, lowercase letters and underscores. Counters end in `_total`. */
  readonly name: string
  readonly kind: 'gauge' | 'counter'
  /** One sentence for operators. */
  readonly help: string
  /** The value now, in the unit that the name ends with. If it throws, only this metric is missing from the response. */
  value(): number | Promise<number>
}
