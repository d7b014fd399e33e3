import { sql } from 'kysely'
import type { Trx, Tx } from '#server/contracts/transaction.ts'
import {
  deserializeMessage,
  serializeMessage,
  type LocalizedMessage,
  type MessageDescriptor,
} from '#shared/localized-message.ts'
import type { AlertMetric } from '#shared/rules/alert-rules.ts'
import type { Severity } from '#shared/rules/notification-events.ts'

/** How long incidents are kept after their end, in days. */
const keptDays = 90

/** Something that was wrong with a server for a while. */
export interface ServerIncident {
  readonly server: string
  readonly metric: AlertMetric
  /** Which service, which certificate; '' for what a server has one of. */
  readonly subject: string
  /** As in documents. */
  readonly started: string
  readonly ended: string | null
  readonly cause: LocalizedMessage
  readonly severity: Severity
  readonly threshold: number
  /** The last value; null for what has none. */
  readonly value: number | null
}

/** Creates the table of incidents of servers, if it is missing. */
export async function alertTables(trx: Trx): Promise<void> {
  await sql`create table if not exists easydash_server_incident (
    server text not null references tab_server (name) on delete cascade,
    metric text not null,
    subject text not null,
    started timestamp(6) not null,
    ended timestamp(6),
    cause text not null,
    cause_i18n jsonb,
    severity text not null,
    threshold double precision not null,
    value double precision,
    primary key (server, metric, subject, started))`.execute(trx)
  await sql`create unique index if not exists easydash_server_incident_open
    on easydash_server_incident (server, metric, subject) where ended is null`.execute(trx)
  await sql`create table if not exists easydash_server_observation (
    server text primary key references tab_server (name) on delete cascade,
    at timestamp(6) not null,
    services jsonb,
    certificates jsonb)`.execute(trx)
  await sql`create index if not exists easydash_server_incident_ended on easydash_server_incident (ended)`.execute(trx)
}

interface IncidentRow extends Omit<ServerIncident, 'cause'> {
  readonly cause: string
  readonly cause_i18n: MessageDescriptor | null
}

const columns = sql.raw(`server, metric, subject, to_char(started, 'YYYY-MM-DD HH24:MI:SS.US') as started,
  to_char(ended, 'YYYY-MM-DD HH24:MI:SS.US') as ended, cause, cause_i18n, severity, threshold, value`)

const incidentOf = ({ cause_i18n, ...row }: IncidentRow): ServerIncident => ({
  ...row,
  cause: deserializeMessage(row.cause, cause_i18n),
})

/** All incidents that go on. */
export async function openIncidents(tx: Tx): Promise<ServerIncident[]> {
  const { rows } = await sql<IncidentRow>`select ${columns} from easydash_server_incident
    where ended is null`.execute(tx.trx)
  return rows.map(incidentOf)
}

/** Incidents of a server, newest first. */
export async function incidentsOf(tx: Tx, server: string, limit: number): Promise<ServerIncident[]> {
  const { rows } = await sql<IncidentRow>`select ${columns} from easydash_server_incident
    where server = ${server} order by easydash_server_incident.started desc, metric, subject limit ${limit}`.execute(
    tx.trx,
  )
  return rows.map(incidentOf)
}

/** Stores an incident that began, or that goes on after its rule was off. False if there is one already. */
export async function insertIncident(tx: Tx, incident: ServerIncident): Promise<boolean> {
  const { cause, cause_i18n } = serializeMessage('cause', incident.cause)
  const { server, metric, subject, started, severity, threshold, value } = incident
  const { rows } = await sql`insert into easydash_server_incident
    (server, metric, subject, started, cause, cause_i18n, severity, threshold, value)
    values (${server}, ${metric}, ${subject}, ${started}::timestamp, ${cause},
      ${JSON.stringify(cause_i18n)}::jsonb, ${severity}, ${threshold}, ${value})
    on conflict do nothing returning 1`.execute(tx.trx)
  if (rows.length > 0) return true
  const { numAffectedRows } = await sql`update easydash_server_incident set ended = null
    where server = ${server} and metric = ${metric} and subject = ${subject} and started = ${started}::timestamp
      and ended is not null`.execute(tx.trx)
  return numAffectedRows === 1n
}

/** Numbers of incidents that began since a time, by server and metric (`SERVER METRIC`). */
export async function countStarts(tx: Tx, servers: readonly string[], since: string): Promise<Map<string, number>> {
  if (servers.length === 0) return new Map()
  const { rows } = await sql<{ of: string; n: number }>`select server || ' ' || metric as of, count(*)::int as n
    from easydash_server_incident where server = any(${[...servers]}) and started >= ${since}::timestamp
    group by server, metric`.execute(tx.trx)
  return new Map(rows.map(({ of, n }) => [of, n]))
}

/** The columns that name incidents, for `unnest`. */
const keysOf = (of: readonly Pick<ServerIncident, 'server' | 'metric' | 'subject'>[]) =>
  sql`${of.map(({ server }) => server)}::text[], ${of.map(({ metric }) => metric)}::text[],
    ${of.map(({ subject }) => subject)}::text[]`

/** Writes the last values of incidents that go on. */
export async function updateValues(tx: Tx, incidents: readonly ServerIncident[]): Promise<void> {
  if (incidents.length === 0) return
  await sql`update easydash_server_incident i set value = given.value
    from unnest(${keysOf(incidents)}, ${incidents.map(({ value }) => value)}::double precision[])
      as given (server, metric, subject, value)
    where i.server = given.server and i.metric = given.metric and i.subject = given.subject and i.ended is null
      and i.value is distinct from given.value`.execute(tx.trx)
}

/** Ends incidents. */
export async function endIncidents(tx: Tx, incidents: readonly ServerIncident[], at: string): Promise<void> {
  if (incidents.length === 0) return
  await sql`update easydash_server_incident i set ended = greatest(i.started, ${at}::timestamp)
    from unnest(${keysOf(incidents)}) as given (server, metric, subject)
    where i.server = given.server and i.metric = given.metric and i.subject = given.subject and i.ended is null`.execute(
    tx.trx,
  )
}

/** Deletes incidents that ended long before this time (milliseconds since 1970). Returns how many. */
export async function deleteOldIncidents(tx: Tx, now: number): Promise<number> {
  const before = new Date(now - keptDays * 86_400_000).toISOString().slice(0, 19)
  const { numAffectedRows } = await sql`delete from easydash_server_incident
    where ended < ${before}::timestamp`.execute(tx.trx)
  return Number(numAffectedRows ?? 0n)
}
