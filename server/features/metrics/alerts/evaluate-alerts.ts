import type { Sweep } from '#server/contracts/schedule.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { formatTimestamp, parseTimestamp } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { msg, plural, type LocalizedMessage } from '#shared/localized-message.ts'
import { siteReference } from '#shared/rules/display-name.ts'
import type { MetricsContext } from '../metrics-context.ts'
import {
  countStarts,
  deleteOldIncidents,
  endIncidents,
  insertIncident,
  openIncidents,
  updateValues,
  type ServerIncident,
} from './alert-tables.ts'
import type { Finding } from './finding.ts'
import {
  causeOf,
  findingsOf,
  rulesOfServers,
  storedRules,
  subjectOf,
  watchedFields,
  watchedStatuses,
  type WatchedServer,
} from './findings.ts'

/**
 * Incidents of a metric that a server can have in a day: one that makes up other domains each time it is looked at would fill the activity
 * log, which is kept for ever.
 */
const mostStarts = 300

const keyOf = ({ server, metric, subject }: Pick<Finding, 'server' | 'metric' | 'subject'>) =>
  `${server} ${metric} ${subject}`

/** Starts and ends incidents of all servers by what their rules find now. What was not observed changes nothing. */
export async function evaluateAlerts({ documents, clock }: Pick<MetricsContext, 'documents' | 'clock'>): Promise<void> {
  await documents().transaction(systemSession('schedule'), async (tx) => {
    const servers = await tx.listFields(ServerDoctype, watchedFields, [['status', 'in', watchedStatuses]])
    const rules = rulesOfServers(servers, await storedRules(tx))
    const findings = await findingsOf(tx, servers, rules, clock.now())
    const at = formatTimestamp(clock.now())
    const byName = new Map(servers.map((server) => [server.name, server]))
    const byKey = new Map(findings.map((finding) => [keyOf(finding), finding]))
    const open = await openIncidents(tx)
    const openKeys = new Set(open.map(keyOf))

    const starting = findings.filter((finding) => finding.verdict === 'firing' && !openKeys.has(keyOf(finding)))
    const dayAgo = formatTimestamp(clock.now() - 86_400_000)
    const starts = await countStarts(tx, [...new Set(starting.map(({ server }) => server))], dayAgo)
    for (const finding of starting) {
      const server = byName.get(finding.server)
      const rule = rules.get(finding.server)?.[finding.metric]
      const kind = `${finding.server} ${finding.metric}`
      const before = starts.get(kind) ?? 0
      if (!server || !rule || before >= mostStarts) continue
      starts.set(kind, before + 1)
      const incident: ServerIncident = {
        ...{ server: finding.server, metric: finding.metric, subject: finding.subject, value: finding.value },
        // Of a server that is away it is known since when, which is earlier than its hold time is over.
        started: (finding.metric === 'disconnected' ? server.failure_since : null) ?? at,
        ...{ ended: null, severity: rule.severity, threshold: rule.threshold },
        cause: causeOf(finding, server, rule),
      }
      if (await insertIncident(tx, incident)) await record(tx, server, incident, null)
    }

    const valued = open.flatMap((incident) => {
      const finding = byKey.get(keyOf(incident))
      return finding && finding.value !== null ? [{ ...incident, value: finding.value }] : []
    })
    await updateValues(tx, valued)
    const over = open.filter((incident) => byKey.get(keyOf(incident))?.verdict === 'fine')
    await endIncidents(tx, [...over, ...(await withoutRule(tx, open, byKey, rules))], at)
    for (const incident of over) {
      const server = byName.get(incident.server)
      if (server) await record(tx, server, incident, at)
    }
  })
}

/** Incidents that nothing asks about any more: their rule was turned off, what they are about is not there, or the server is gone. */
async function withoutRule(
  tx: Tx,
  open: readonly ServerIncident[],
  byKey: ReadonlyMap<string, Finding>,
  rules: ReturnType<typeof rulesOfServers>,
): Promise<ServerIncident[]> {
  const unasked = open.filter((incident) => !byKey.has(keyOf(incident)))
  const names = [...new Set(unasked.map(({ server }) => server))].filter((name) => !rules.has(name))
  const others =
    names.length === 0 ? [] : await tx.listFields(ServerDoctype, ['name', 'status'], [['name', 'in', names]])
  // Of a server that is being changed or that failed nothing is known.
  const gone = new Set(others.flatMap(({ name, status }) => (status === 'Decommissioned' ? [name] : [])))
  return unasked.filter(({ server, metric }) => {
    const rule = rules.get(server)?.[metric]
    if (!rule) return gone.has(server)
    return rule.enabled !== 1 || byKey.get(keyOf({ server, metric, subject: '' }))?.verdict === 'fine'
  })
}

/** Puts the start or the end of an incident into the activity of the server, from where people are notified. */
async function record(tx: Tx, server: WatchedServer, incident: ServerIncident, ended: string | null): Promise<void> {
  if (incident.metric === 'certificate') {
    // That it was renewed is as it should be.
    if (ended === null) await recordCertificate(tx, server, incident)
    return
  }
  const isAway = incident.metric === 'disconnected'
  const action = ended === null ? (isAway ? 'went_down' : 'alert') : isAway ? 'came_up' : 'alert_ended'
  await tx.activity({
    action: `Server.${action}`,
    result: ended === null ? 'Failed' : 'Done',
    organization: server.organization,
    reference_doctype: 'Server',
    reference_name: server.name,
    reference_title: server.hostname,
    detail:
      ended === null
        ? incident.cause
        : isAway
          ? lasted(incident, ended)
          : msg`${subjectOf(incident)}, ${lasted(incident, ended)}`,
    after: { metric: incident.metric, severity: incident.severity, value: incident.value },
  })
}

/** In the activity of the site that it is of, if there is one. */
async function recordCertificate(
  tx: Tx,
  server: WatchedServer,
  { subject, severity, cause }: ServerIncident,
): Promise<void> {
  const [site] = await tx.listFields(
    SiteDoctype,
    ['name', 'organization', 'domain', 'title'],
    [
      ['server', '=', server.name],
      ['domain', '=', subject],
      ['status', '!=', 'Archived'],
    ],
    { limit: 1 },
  )
  await tx.activity({
    action: site ? 'Site.certificate_expiring' : 'Server.certificate_expiring',
    result: 'Failed',
    ...(site
      ? siteReference(site)
      : {
          organization: server.organization,
          reference_doctype: 'Server',
          reference_name: server.name,
          reference_title: server.hostname,
        }),
    detail: cause,
    after: { domain: subject, severity },
  })
}

function lasted({ started }: ServerIncident, ended: string): LocalizedMessage {
  const minutes = Math.ceil((parseTimestamp(ended) - parseTimestamp(started)) / 60_000)
  return plural(minutes, msg`after ${minutes} minute`, msg`after ${minutes} minutes`)
}

/** Deletes incidents that are too old. */
export function alertSweep({ documents, clock }: Pick<MetricsContext, 'documents' | 'clock'>): Sweep {
  return {
    name: 'servers.incidents',
    everySeconds: 3600,
    run: () => documents().transaction(systemSession('schedule'), (tx) => deleteOldIncidents(tx, clock.now())),
  }
}
