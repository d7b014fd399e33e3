import type { BulkRow } from '#shared/responses/bulk.ts'
import { csvFile } from '#shared/rules/csv.ts'
import { stepLabel } from '#web/documents/jobs/job-label.ts'
import { statusLabel } from '#web/documents/values/status-tones.ts'
import { secondsBetween } from '#web/lib/i18n/format.ts'
import { reasonOf, stepColumns } from './bulk-states.ts'
import { t } from './messages.ts'
import { saveText } from '#web/lib/browser/save-file.ts'

/** The report as CSV: a row for each site, with its state, the reason, how long it took, and the state of each step. */
export function bulkReport(rows: readonly BulkRow[]): string {
  const columns = stepColumns(rows)
  const head = [
    t('bulk.site'),
    t('bulk.address'),
    t('bulk.state'),
    t('bulk.reason'),
    t('bulk.took'),
    ...columns.map(stepLabel),
  ]
  const lines = rows.map((row) => [
    row.title,
    row.address ?? row.title,
    t(`bulk.${row.state}`),
    reasonOf(row)?.text ?? '',
    row.ended === null ? null : secondsBetween(row.started, row.ended),
    ...columns.map(({ key }) => {
      const step = row.steps.find((one) => one.key === key)
      return step ? statusLabel('JobStep', 'status', step.status) : ''
    }),
  ])
  return csvFile([head, ...lines])
}

/** Saves the report as a file. */
export function downloadReport(name: string, rows: readonly BulkRow[]): void {
  saveText(`bulk-${name}.csv`, bulkReport(rows), 'text/csv')
}
