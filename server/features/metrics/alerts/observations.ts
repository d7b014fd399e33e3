import { sql } from 'kysely'
import type { Tx } from '#server/contracts/transaction.ts'
import { formatTimestamp, parseTimestamp } from '#server/jobs/clock.ts'
import { msg, plural, type LocalizedMessage } from '#shared/localized-message.ts'
import { daysUntil, type AlertMetric, type AlertSettings } from '#shared/rules/alert-rules.ts'
import { metricFreshMs } from '#shared/rules/metric-ranges.ts'
import type { Finding } from './finding.ts'

/** What was last seen on a server by SSH; null for what could not be read. */
export interface ServerObservation {
  readonly services:
    | readonly {
        readonly unit: string
        readonly verdict: 'ok' | 'warn' | 'failed' | 'unknown' | 'none'
        /** As in documents; null if the server does not say. */
        readonly since: string | null
      }[]
    | null
  readonly certificates:
    | readonly {
        readonly domain: string
        /** In seconds since 1970. */
        readonly expires: number
      }[]
    | null
}

/** Stores what was seen on a server, in place of what was seen before. */
export async function storeObservation(
  tx: Tx,
  server: string,
  { services, certificates }: ServerObservation,
  now: number,
): Promise<void> {
  const json = (value: unknown) => (value === null ? null : JSON.stringify(value))
  await sql`insert into easydash_server_observation (server, at, services, certificates)
    select name, ${formatTimestamp(now)}::timestamp, ${json(services)}::jsonb, ${json(certificates)}::jsonb
    from tab_server where name = ${server}
    on conflict (server) do update
      set at = excluded.at, services = excluded.services, certificates = excluded.certificates`.execute(tx.trx)
}

/** What was seen on servers lately, by server. */
async function freshObservations(
  tx: Tx,
  servers: readonly string[],
  now: number,
): Promise<Map<string, ServerObservation>> {
  const { rows } = await sql<ServerObservation & { server: string }>`
    select server, services, certificates from easydash_server_observation
    where server = any(${[...servers]}) and at >= ${formatTimestamp(now - metricFreshMs)}::timestamp`.execute(tx.trx)
  return new Map(rows.map(({ server, ...observation }) => [server, observation]))
}

/**
 * What the rules about services and certificates find, with a finding without subject that says whether these were looked at: what is
 * not listed then is there no more.
 */
export async function observedFindings(
  tx: Tx,
  rules: ReadonlyMap<string, Readonly<Record<'service' | 'certificate', AlertSettings>>>,
  now: number,
): Promise<Finding[]> {
  const observations = await freshObservations(tx, [...rules.keys()], now)
  const found: Finding[] = []
  for (const [server, { service, certificate }] of rules) {
    const { services = null, certificates = null } = observations.get(server) ?? {}
    const add = (metric: AlertMetric, subject: string, verdict: Finding['verdict'], value: number | null = null) =>
      found.push({ server, metric, subject, verdict, value })
    if (service.enabled === 1) {
      add('service', '', services ? 'fine' : 'unknown')
      for (const one of services ?? []) add('service', one.unit, serviceVerdict(one, service.minutes, now))
    }
    if (certificate.enabled === 1) {
      add('certificate', '', certificates ? 'fine' : 'unknown')
      for (const { domain, expires } of certificates ?? []) {
        const days = daysUntil(expires, now)
        add('certificate', domain, days < certificate.threshold ? 'firing' : 'fine', days)
      }
    }
  }
  return found
}

function serviceVerdict(
  { verdict, since }: NonNullable<ServerObservation['services']>[number],
  minutes: number,
  now: number,
): Finding['verdict'] {
  if (verdict === 'ok' || verdict === 'none') return 'fine'
  if (verdict !== 'failed') return 'unknown'
  return since === null || now - parseTimestamp(since) >= minutes * 60_000 ? 'firing' : 'mixed'
}

/** What is wrong with a service or a certificate. */
export function observedCause({ metric, subject, value }: Finding): LocalizedMessage {
  if (metric === 'service') return msg`${subject} does not run.`
  const days = value ?? 0
  return days < 0
    ? msg`The certificate of ${subject} is not valid any more.`
    : plural(
        days,
        msg`The certificate of ${subject} is valid for ${days} more day.`,
        msg`The certificate of ${subject} is valid for ${days} more days.`,
      )
}
