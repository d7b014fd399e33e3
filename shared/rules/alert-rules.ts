import type { Severity } from './notification-events.ts'

/** What is measured in each sample of a server. */
export const sampledMetrics = ['cpu', 'memory', 'disk', 'load', 'swap'] as const

/** What a server is watched for. */
export const alertMetrics = [...sampledMetrics, 'disconnected', 'service', 'certificate'] as const

/** One of `sampledMetrics`. */
export type SampledMetric = (typeof sampledMetrics)[number]

/** One of `alertMetrics`. */
export type AlertMetric = (typeof alertMetrics)[number]

/** What a rule says besides what it is about. */
export interface AlertSettings {
  /** Above it something is wrong: percent, the load of one processor, or the days that a certificate is still valid. */
  readonly threshold: number
  /** How long it has to be so. */
  readonly minutes: number
  readonly severity: Severity
  readonly enabled: 0 | 1
}

const of = (threshold: number, minutes: number, severity: Severity): AlertSettings => ({
  ...{ threshold, minutes, severity, enabled: 1 },
})

/** The rules of servers for which nobody made any. */
export const defaultAlertRules: Readonly<Record<AlertMetric, AlertSettings>> = {
  cpu: of(90, 15, 'warning'),
  memory: of(90, 15, 'warning'),
  disk: of(90, 10, 'warning'),
  load: of(4, 15, 'warning'),
  swap: of(80, 30, 'warning'),
  disconnected: of(0, 5, 'critical'),
  service: of(0, 5, 'critical'),
  certificate: of(14, 0, 'warning'),
}

/** Lowest and highest threshold of each metric; null for those that either are or are not. */
export const thresholdRanges: Readonly<Record<AlertMetric, readonly [min: number, max: number] | null>> = {
  cpu: [1, 99],
  memory: [1, 99],
  disk: [1, 99],
  load: [0.1, 100],
  swap: [1, 99],
  disconnected: null,
  service: null,
  certificate: [1, 60],
}

/** Longest hold time, in minutes. */
export const longestHold = 240

/** A stored rule, as far as it decides. Without a server it is of all servers of its organization. */
export interface StoredAlertRule extends AlertSettings {
  readonly name: string
  readonly organization: string
  readonly server: string | null
  readonly metric: AlertMetric
}

/** The rule of a server for a metric: its own, else that of its organization, else the default, for which `name` is null. */
export function alertRuleOf(
  rules: readonly StoredAlertRule[],
  server: { readonly name: string; readonly organization: string },
  metric: AlertMetric,
): AlertSettings & { readonly name: string | null; readonly source: 'server' | 'organization' | 'default' } {
  const here = rules.filter((rule) => rule.organization === server.organization && rule.metric === metric)
  const own = here.find((rule) => rule.server === server.name)
  const common = here.find((rule) => rule.server === null)
  const source = own ? 'server' : common ? 'organization' : 'default'
  const { threshold, minutes, severity, enabled } = own ?? common ?? defaultAlertRules[metric]
  return { threshold, minutes, severity, enabled, source, name: (own ?? common)?.name ?? null }
}

/** Whole days until a time in seconds since 1970; negative once it is over. `now`: milliseconds. */
export const daysUntil = (seconds: number, now: number): number => Math.floor((seconds * 1000 - now) / 86_400_000)
