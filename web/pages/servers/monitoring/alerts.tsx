import { useState } from 'react'
import { AlertRuleDoctype } from '#shared/doctypes/alert-rule.ts'
import type { Doctype } from '#shared/doctype.ts'
import type { Server } from '#shared/doctypes/server.ts'
import { serverAlerts, type ServerAlertIncident, type ServerAlertRule } from '#shared/responses/server-alerts.ts'
import { rolesOf } from '#web/documents/actions/viewer.ts'
import { useViewer } from '#web/documents/actions/use-actions.ts'
import { severityLabel, severityTones } from '#web/documents/values/severity.ts'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { formatDuration, secondsBetween } from '#web/lib/i18n/format.ts'
import { LocalizedText } from '#web/lib/i18n/localized-text.tsx'
import { Button } from '#web/ui/button.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { StatusIcon, type Tone } from '#web/ui/status.tsx'
import { Time } from '#web/ui/time.tsx'
import { tAlerts } from '#web/features/servers/alert-messages.ts'
import { AlertRuleDialog } from '#web/features/servers/alert-rule-dialog.tsx'
import { alertCondition, alertValue } from '#web/features/servers/alert-values.ts'

const { permissions }: Doctype = AlertRuleDoctype

/** How often the rules are judged, in milliseconds. */
const judgedEveryMs = 60_000

/** The alert rules of a server, what they find now, and its incidents. */
export function Alerts({ server }: { server: Server }) {
  const [changed, setChanged] = useState<ServerAlertRule | null>(null)
  const mayChange = rolesOf(useViewer(), null).some((role) => permissions[role]?.write === true)
  const { data, error, reload } = useMethod(
    'run_doc_method',
    { dt: 'Server', dn: server.name, method: 'get_alerts' },
    { verb: 'POST', returns: serverAlerts, keepPrevious: true, refreshInterval: judgedEveryMs },
  )
  if (!data)
    return error ? (
      <ErrorPanel title={tAlerts('rules.error')} error={error} onRetry={() => reload()} />
    ) : (
      <Skeleton className="h-80 w-full rounded-card" />
    )
  return (
    <>
      {error ? <Notice tone="warn">{error.message}</Notice> : null}
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <Card aria-labelledby="alert-rules">
          <CardHead id="alert-rules" title={tAlerts('rules.title')} lined />
          <ul className="divide-y divide-hairline">
            {data.rules.map((rule) => (
              <RuleLine key={rule.metric} rule={rule} onChange={mayChange ? () => setChanged(rule) : null} />
            ))}
          </ul>
          <p className="border-t border-hairline px-4 py-2.5 text-meta text-muted">{tAlerts('rules.text')}</p>
        </Card>
        <IncidentsCard incidents={data.incidents} />
      </div>
      {changed ? (
        <AlertRuleDialog
          organization={server.organization}
          server={server}
          rule={changed}
          onSaved={() => reload()}
          onClose={() => setChanged(null)}
        />
      ) : null}
    </>
  )
}

const stateTones: Readonly<Record<ServerAlertRule['state'], Tone>> = {
  firing: 'bad',
  fine: 'ok',
  mixed: 'warn',
  unknown: 'none',
  off: 'off',
}

function RuleLine({ rule, onChange }: { rule: ServerAlertRule; onChange: (() => void) | null }) {
  const { metric, threshold, minutes, severity, state, source, value } = rule
  const tone = state === 'firing' ? severityTones[severity] : stateTones[state]
  const name = tAlerts(`metric.${metric}`)
  return (
    <li className="flex min-h-10 items-start gap-3 px-4 py-2.5 text-table">
      <StatusIcon tone={tone} className="mt-px" />
      {/* On phones the state is below: beside it, the condition would have a word a line. */}
      <span className="flex min-w-0 flex-1 flex-wrap gap-x-3 gap-y-0.5">
        <span className="grid min-w-0 flex-[1_1_180px] gap-0.5 wrap-anywhere">
          <span className="font-medium">{name}</span>
          <span className="text-muted">
            {alertCondition(metric, threshold, minutes)} · {severityLabel(severity)} · {tAlerts(`rules.of_${source}`)}
          </span>
        </span>
        <span className="grid flex-none content-start gap-0.5 md:justify-items-end md:text-right">
          <span>{tAlerts(`state.${state}`)}</span>
          {value === null ? null : (
            <span className="text-muted">{tAlerts('rules.now', { value: alertValue(metric, value) })}</span>
          )}
        </span>
      </span>
      {onChange ? (
        <Button size="sm" aria-label={tAlerts('rules.change_of', { metric: name })} onClick={onChange}>
          {tAlerts('rules.change')}
        </Button>
      ) : null}
    </li>
  )
}

function IncidentsCard({ incidents }: { incidents: readonly ServerAlertIncident[] }) {
  const open = incidents.filter(({ ended }) => ended === null).length
  return (
    <Card aria-labelledby="server-incidents">
      <CardHead
        id="server-incidents"
        title={tAlerts('incidents.title')}
        {...(open > 0 && { subtitle: tAlerts('incidents.open', { count: open }) })}
        lined
      />
      {incidents.length === 0 ? (
        <CardBody className="pt-3 text-table text-muted">{tAlerts('incidents.none')}</CardBody>
      ) : (
        <ul className="divide-y divide-hairline">
          {incidents.map((incident) => (
            <IncidentLine key={`${incident.metric} ${incident.subject} ${incident.started}`} incident={incident} />
          ))}
        </ul>
      )}
    </Card>
  )
}

function IncidentLine({ incident }: { incident: ServerAlertIncident }) {
  const { metric, subject, started, ended, cause, cause_i18n, severity, value } = incident
  const seconds = secondsBetween(started, ended)
  return (
    <li className="flex min-h-10 items-start gap-3 px-4 py-2.5 text-table">
      <StatusIcon tone={ended === null ? severityTones[severity] : 'off'} className="mt-px" />
      <span className="grid min-w-0 flex-1 gap-0.5 wrap-anywhere">
        <span className="font-medium">
          {tAlerts(`metric.${metric}`)}
          {subject === '' ? null : `: ${subject}`}
        </span>
        <span className="text-muted">
          <LocalizedText text={cause} i18n={cause_i18n} />
        </span>
        <span className="text-muted">
          {ended === null ? (
            <Time value={started} format={(when) => tAlerts('incidents.since', { when })} />
          ) : (
            <>
              <Time value={started} format={(when) => tAlerts('incidents.began', { when })} /> ·{' '}
              {tAlerts('incidents.lasted', { duration: formatDuration(seconds ?? 0) })}
            </>
          )}
          {ended === null && value !== null && metric !== 'certificate' ? (
            <> · {tAlerts('incidents.last_value', { value: alertValue(metric, value) })}</>
          ) : null}
        </span>
      </span>
    </li>
  )
}
