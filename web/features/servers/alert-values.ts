import type { AlertMetric } from '#shared/rules/alert-rules.ts'
import { formatPercent } from '#web/lib/i18n/format.ts'
import { numberFormat } from '#web/lib/i18n/number-format.ts'
import { tAlerts } from './alert-messages.ts'

/** A measured value or a threshold, with its unit. */
export function alertValue(metric: AlertMetric, value: number): string {
  return metric === 'load' ? numberFormat({ maximumFractionDigits: 2 }).format(value) : formatPercent(value)
}

/** When a rule fires, in words. */
export function alertCondition(metric: AlertMetric, threshold: number, minutes: number): string {
  switch (metric) {
    case 'disconnected':
    case 'service':
      return tAlerts('rules.lasting', { count: minutes })
    case 'certificate':
      return tAlerts('rules.days', { count: threshold })
    default:
      return tAlerts('rules.above', { threshold: alertValue(metric, threshold), count: minutes })
  }
}
