import { controller, type Controller } from '#server/contracts/controller.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { AlertRuleDoctype } from '#shared/doctypes/alert-rule.ts'
import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import { AppError } from '#shared/errors.ts'
import { msg, serializeMessage } from '#shared/localized-message.ts'
import type { ServerAlerts } from '#shared/responses/server-alerts.ts'
import { thresholdRanges } from '#shared/rules/alert-rules.ts'
import type { MetricsContext } from '../metrics-context.ts'
import { incidentsOf } from './alert-tables.ts'
import type { Finding } from './finding.ts'
import { findingsOf, metricsOf, rulesOfServers, storedRules } from './findings.ts'

/** Incidents that a page shows. */
const shownIncidents = 50

/** Rules of servers, and what they found. The store checks permissions first. */
export function alertControllers({ clock }: Pick<MetricsContext, 'clock'>): Controller[] {
  return [
    controller(AlertRuleDoctype, {
      async validate(doc, before, { tx }) {
        if (before === null && doc.server !== null) await assertOwnServer(tx, doc.server, doc.organization)
        const range = thresholdRanges[doc.metric]
        if (!range) doc.threshold = 0
        else if (doc.threshold < range[0] || doc.threshold > range[1])
          throw new AppError('invalid', msg`The threshold must be from ${range[0]} to ${range[1]}.`, {
            field: 'threshold',
            excType: 'ValidationError',
          })
      },
    }),
    controller(ServerDoctype, {
      after_delete: (doc, { tx }) => tx.deleteWhere(AlertRuleDoctype, [['server', '=', doc.name]]),
      actions: { get_alerts: (server, _args, { tx }) => readAlerts(tx, server, clock.now()) },
    }),
  ]
}

async function assertOwnServer(tx: Tx, name: string, organization: string): Promise<void> {
  const server = await tx.get(ServerDoctype, name, { lock: true })
  if (server?.organization === organization) return
  throw new AppError('invalid', msg`Could not find Server: ${name}`, {
    field: 'server',
    excType: 'LinkValidationError',
  })
}

/** The rules of a server, what each finds now, and what they found. */
async function readAlerts(tx: Tx, server: Server, now: number): Promise<ServerAlerts> {
  const rules = rulesOfServers([server], await storedRules(tx, server.organization))
  const own = rules.get(server.name)
  const findings = await findingsOf(tx, [server], rules, now)
  return {
    rules: metricsOf(server).flatMap((metric) => {
      const rule = own?.[metric]
      if (!rule) return []
      const found = findings.filter((finding) => finding.metric === metric)
      return [{ metric, ...rule, state: rule.enabled === 1 ? stateOf(found) : 'off', value: found[0]?.value ?? null }]
    }),
    incidents: (await incidentsOf(tx, server.name, shownIncidents)).map(({ server: _server, cause, ...incident }) => ({
      ...incident,
      ...serializeMessage('cause', cause),
    })),
  }
}

/** The worst of what a rule found; `unknown` if it found nothing. */
function stateOf(found: readonly Finding[]): Finding['verdict'] {
  const worst = (['firing', 'mixed', 'unknown', 'fine'] as const).find((verdict) =>
    found.some((finding) => finding.verdict === verdict),
  )
  return worst ?? 'unknown'
}
