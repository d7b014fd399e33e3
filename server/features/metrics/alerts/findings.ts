import type { Tx } from '#server/contracts/transaction.ts'
import { parseTimestamp } from '#server/jobs/clock.ts'
import { AlertRuleDoctype } from '#shared/doctypes/alert-rule.ts'
import type { Server } from '#shared/doctypes/server.ts'
import {
  deserializeMessage,
  labelMessage,
  msg,
  untranslated,
  type LocalizedMessage,
} from '#shared/localized-message.ts'
import {
  alertMetrics,
  alertRuleOf,
  sampledMetrics,
  type AlertMetric,
  type AlertSettings,
  type SampledMetric,
  type StoredAlertRule,
} from '#shared/rules/alert-rules.ts'
import type { Finding } from './finding.ts'
import { observedCause, observedFindings } from './observations.ts'
import { sampledFindings } from './sampled-findings.ts'

/** What is read of a server that is watched. */
export const watchedFields = [
  'name',
  'organization',
  'hostname',
  'status',
  'cpu',
  'failure_since',
  'failure_reason',
  'failure_reason_i18n',
  'engine_host',
] as const

/** What a machine is watched for: Easydash does not connect to the one it runs on. */
export const metricsOf = ({ engine_host }: Pick<Server, 'engine_host'>): readonly AlertMetric[] =>
  engine_host === null ? alertMetrics : sampledMetrics

/** A server that is watched. */
export type WatchedServer = Pick<Server, (typeof watchedFields)[number]>

/** Servers in these states are watched. */
export const watchedStatuses = ['Healthy', 'Degraded', 'Disconnected', 'Rebooting'] as const

/** The stored rules; of one organization if it is given. */
export function storedRules(tx: Tx, organization: string | null = null): Promise<StoredAlertRule[]> {
  return tx.listFields(
    AlertRuleDoctype,
    ['name', 'organization', 'server', 'metric', 'threshold', 'minutes', 'severity', 'enabled'],
    organization === null ? [] : [['organization', '=', organization]],
  )
}

/** A server's rule for a metric. */
export type RuleOfServer = ReturnType<typeof alertRuleOf>

/** The rules of each server by metric. */
export function rulesOfServers(
  servers: readonly Pick<Server, 'name' | 'organization'>[],
  stored: readonly StoredAlertRule[],
): Map<string, Readonly<Record<AlertMetric, RuleOfServer>>> {
  const byOrganization = Map.groupBy(stored, ({ organization }) => organization)
  return new Map(
    servers.map((server) => {
      const here = byOrganization.get(server.organization) ?? []
      const rules = alertMetrics.map((metric) => [metric, alertRuleOf(here, server, metric)])
      return [server.name, Object.fromEntries(rules) as Record<AlertMetric, RuleOfServer>]
    }),
  )
}

/**
 * What the rules that are on find at these servers.
 * @param now milliseconds since 1970
 */
export async function findingsOf(
  tx: Tx,
  servers: readonly WatchedServer[],
  rules: ReadonlyMap<string, Readonly<Record<AlertMetric, AlertSettings>>>,
  now: number,
): Promise<Finding[]> {
  const measured = servers.flatMap(({ name, cpu }) =>
    sampledMetrics.flatMap((metric) => {
      const rule = rules.get(name)?.[metric]
      return rule?.enabled === 1
        ? [{ server: name, metric, threshold: rule.threshold, minutes: rule.minutes, cpu: Math.max(1, cpu ?? 1) }]
        : []
    }),
  )
  const found = await sampledFindings(tx, measured, now)
  const reached = servers.filter(({ engine_host }) => engine_host === null)
  const asked = new Map(
    reached.flatMap(({ name }) => {
      const of = rules.get(name)
      return of ? [[name, of] as const] : []
    }),
  )
  found.push(...(await observedFindings(tx, asked, now)))
  for (const server of reached) {
    const rule = rules.get(server.name)?.disconnected
    if (rule?.enabled === 1)
      found.push({
        ...{ server: server.name, metric: 'disconnected', subject: '', value: null },
        verdict: connection(server, rule, now),
      })
  }
  return found
}

function connection(
  { status, failure_since }: WatchedServer,
  { minutes }: AlertSettings,
  now: number,
): Finding['verdict'] {
  if (status === 'Healthy' || status === 'Degraded') return 'fine'
  if (status !== 'Disconnected' || failure_since === null) return 'unknown'
  return now - parseTimestamp(failure_since) >= minutes * 60_000 ? 'firing' : 'mixed'
}

const labels: Readonly<Record<SampledMetric, string>> = {
  cpu: 'CPU usage',
  memory: 'Memory usage',
  disk: 'Disk usage',
  load: 'Load of a processor',
  swap: 'Swap usage',
}

/** What an incident is about: a measurement, a service. */
export const subjectOf = ({ metric, subject }: Pick<Finding, 'metric' | 'subject'>): LocalizedMessage =>
  subject === '' && metric in labels ? labelMessage(labels[metric as SampledMetric]) : untranslated(subject)

/** What is wrong, as it is said to people. */
export function causeOf(finding: Finding, server: WatchedServer, rule: AlertSettings): LocalizedMessage {
  const { metric, value } = finding
  if (metric === 'disconnected')
    return server.failure_reason === null
      ? msg`It does not answer by SSH.`
      : deserializeMessage(server.failure_reason, server.failure_reason_i18n)
  if (metric === 'service' || metric === 'certificate') return observedCause(finding)
  const unit = metric === 'load' ? '' : '%'
  const [last, most] = [`${value ?? 0}${unit}`, `${rule.threshold}${unit}`]
  return msg`${labelMessage(labels[metric])}: ${last}, above ${most} for ${rule.minutes} minutes.`
}
