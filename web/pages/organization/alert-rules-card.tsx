import { useState } from 'react'
import type { AlertRule } from '#shared/doctypes/alert-rule.ts'
import { alertMetrics, alertRuleOf } from '#shared/rules/alert-rules.ts'
import { tAlerts } from '#web/features/servers/alert-messages.ts'
import { AlertRuleDialog } from '#web/features/servers/alert-rule-dialog.tsx'
import { alertCondition } from '#web/features/servers/alert-values.ts'
import { severityLabel } from '#web/documents/values/severity.ts'
import { useList } from '#web/lib/api/frappe.tsx'
import { Button } from '#web/ui/button.tsx'
import { Card, CardHead } from '#web/ui/card.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'

/** The rules of all servers of an organization that have none of their own, for admins. */
export function AlertRulesCard({ organization }: { organization: string }) {
  const [changed, setChanged] = useState<AlertRule['metric'] | null>(null)
  const { data, error, reload } = useList('Alert Rule', {
    fields: ['metric', 'organization', 'server', 'enabled', 'threshold', 'minutes', 'severity'],
    filters: [
      ['organization', '=', organization],
      ['server', 'is', 'not set'],
    ],
    limit: 0,
  })
  if (!data)
    return error ? (
      <ErrorPanel title={tAlerts('rules.error')} error={error} onRetry={() => reload()} />
    ) : (
      <Skeleton className="h-80 w-full rounded-card" />
    )
  const ruleOf = (metric: AlertRule['metric']) => ({
    metric,
    ...alertRuleOf(data as AlertRule[], { name: '', organization }, metric),
  })
  return (
    <Card aria-labelledby="alert-rules">
      <CardHead id="alert-rules" title={tAlerts('rules.of_all')} lined />
      <ul className="divide-y divide-hairline">
        {alertMetrics.map((metric) => {
          const { threshold, minutes, severity, enabled, source } = ruleOf(metric)
          const name = tAlerts(`metric.${metric}`)
          const parts = [
            enabled === 1 ? alertCondition(metric, threshold, minutes) : tAlerts('state.off'),
            ...(enabled === 1 ? [severityLabel(severity)] : []),
            ...(source === 'default' ? [tAlerts('rules.of_default')] : []),
          ]
          return (
            <li key={metric} className="flex min-h-10 items-start gap-3 px-4 py-2.5 text-table">
              <span className="grid min-w-0 flex-1 gap-0.5 wrap-anywhere">
                <span className="font-medium">{name}</span>
                <span className="text-muted">{parts.join(' · ')}</span>
              </span>
              <Button
                size="sm"
                aria-label={tAlerts('rules.change_of', { metric: name })}
                onClick={() => setChanged(metric)}
              >
                {tAlerts('rules.change')}
              </Button>
            </li>
          )
        })}
      </ul>
      <p className="border-t border-hairline px-4 py-2.5 text-meta text-muted">{tAlerts('rules.of_all_text')}</p>
      {changed ? (
        <AlertRuleDialog
          organization={organization}
          server={null}
          rule={ruleOf(changed)}
          onSaved={() => reload()}
          onClose={() => setChanged(null)}
        />
      ) : null}
    </Card>
  )
}
