import type { AlertRule } from '#shared/doctypes/alert-rule.ts'
import type { Server } from '#shared/doctypes/server.ts'
import type { ServerAlertRule } from '#shared/responses/server-alerts.ts'
import { longestHold, thresholdRanges, type AlertMetric } from '#shared/rules/alert-rules.ts'
import { severities } from '#shared/rules/notification-events.ts'
import { useAttempt } from '#web/documents/actions/use-attempt.ts'
import { severityLabel } from '#web/documents/values/severity.ts'
import { createDoc, deleteDoc, updateDoc } from '#web/lib/api/api.ts'
import { readList } from '#web/lib/api/batched-reads.ts'
import { formatNumber } from '#web/lib/i18n/format.ts'
import { Button } from '#web/ui/button.tsx'
import { Checkbox } from '#web/ui/form/checkbox.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { Input } from '#web/ui/form/input.tsx'
import { Select } from '#web/ui/form/select.tsx'
import { useApiForm } from '#web/ui/form/use-api-form.ts'
import { Notice } from '#web/ui/notice.tsx'
import { Dialog } from '#web/ui/overlay/dialog.tsx'
import { tAlerts } from './alert-messages.ts'

const formId = 'alert-rule'

/** Name of the rule of all servers that have none of their own, which one of a server hides; null without one. */
async function ruleOfAll(organization: string, metric: AlertMetric): Promise<string | null> {
  const [found] = await readList<Pick<AlertRule, 'name'>>('Alert Rule', {
    fields: ['name'],
    filters: [
      ['organization', '=', organization],
      ['metric', '=', metric],
      ['server', 'is', 'not set'],
    ],
    limit: 1,
  })
  return found?.name ?? null
}

/** What the dialog changes: the rule of a metric as it is now. */
type ChangedRule = Pick<
  ServerAlertRule,
  'metric' | 'enabled' | 'threshold' | 'minutes' | 'severity' | 'source' | 'name'
>

/** Changes the rule of a metric, for one server or for all that have none of their own. Without a server, for all. */
export function AlertRuleDialog({
  organization,
  server,
  rule,
  onSaved,
  onClose,
}: {
  organization: string
  server: Pick<Server, 'name'> | null
  rule: ChangedRule
  onSaved: () => Promise<void>
  onClose: () => void
}) {
  const { metric } = rule
  const range = thresholdRanges[metric]
  const name = tAlerts(`metric.${metric}`)
  const { busy: resetting, failure: resetFailure, attempt } = useAttempt()
  const form = useApiForm({
    defaultValues: {
      enabled: rule.enabled === 1,
      threshold: String(rule.threshold),
      minutes: String(rule.minutes),
      severity: rule.severity,
      scope: server === null ? 'organization' : 'server',
    },
    send: async ({ enabled, threshold, minutes, severity, scope }) => {
      const values = { enabled: enabled ? 1 : 0, threshold: Number(threshold), minutes: Number(minutes), severity }
      const existing =
        rule.source === scope ? rule.name : scope === 'organization' ? await ruleOfAll(organization, metric) : null
      await (existing === null
        ? createDoc('Alert Rule', {
            organization,
            metric,
            ...values,
            ...(scope === 'server' && { server: server?.name }),
          })
        : updateDoc('Alert Rule', existing, values))
      await onSaved()
      onClose()
    },
  })
  const isWithin = (text: string, [min, max]: readonly [number, number]) =>
    text.trim() !== '' && Number(text) >= min && Number(text) <= max
  const reset = () =>
    attempt(async () => {
      await deleteDoc('Alert Rule', rule.name ?? '')
      await onSaved()
      onClose()
    })
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open && !form.busy) onClose()
      }}
      title={tAlerts('dialog.title', { metric: name })}
      footer={
        <>
          {rule.source === (server === null ? 'organization' : 'server') ? (
            <Button className="mr-auto" busy={resetting} onClick={() => void reset()}>
              {tAlerts(server === null ? 'dialog.use_default' : 'dialog.reset')}
            </Button>
          ) : null}
          <Button onClick={onClose}>{tAlerts('dialog.cancel')}</Button>
          <Button type="submit" form={formId} variant="primary" busy={form.busy}>
            {tAlerts('dialog.save')}
          </Button>
        </>
      }
    >
      <form {...form.props} id={formId} className="grid gap-4">
        {(form.failure ?? resetFailure) ? <Notice tone="bad">{form.failure ?? resetFailure}</Notice> : null}
        <Checkbox label={tAlerts('dialog.enabled')} {...form.register('enabled')} />
        {range ? (
          <Field
            required
            label={tAlerts(
              metric === 'load'
                ? 'dialog.threshold_load'
                : metric === 'certificate'
                  ? 'dialog.threshold_days'
                  : 'dialog.threshold_percent',
            )}
            error={form.errorOf('threshold')}
          >
            <Input
              inputMode="decimal"
              autoComplete="off"
              {...form.register('threshold', {
                validate: (text) =>
                  isWithin(text, range) ||
                  tAlerts('dialog.threshold_wrong', {
                    min: formatNumber(range[0]),
                    max: formatNumber(range[1]),
                  }),
              })}
            />
          </Field>
        ) : null}
        {metric === 'certificate' ? null : (
          <Field
            required
            label={tAlerts('dialog.minutes')}
            hint={tAlerts('dialog.minutes_hint')}
            error={form.errorOf('minutes')}
          >
            <Input
              inputMode="numeric"
              autoComplete="off"
              {...form.register('minutes', {
                validate: (text) =>
                  (isWithin(text, [0, longestHold]) && Number.isInteger(Number(text))) ||
                  tAlerts('dialog.minutes_wrong', { max: formatNumber(longestHold) }),
              })}
            />
          </Field>
        )}
        <Field label={tAlerts('dialog.severity')} hint={tAlerts('dialog.severity_hint')}>
          <Select {...form.register('severity')}>
            {severities.map((severity) => (
              <option key={severity} value={severity}>
                {severityLabel(severity)}
              </option>
            ))}
          </Select>
        </Field>
        {server === null ? null : (
          <Field label={tAlerts('dialog.scope')}>
            <Select {...form.register('scope')}>
              <option value="server">{tAlerts('dialog.scope_server')}</option>
              <option value="organization">{tAlerts('dialog.scope_organization')}</option>
            </Select>
          </Field>
        )}
      </form>
    </Dialog>
  )
}
