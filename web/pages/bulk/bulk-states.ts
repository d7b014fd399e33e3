import type { BulkRow } from '#shared/responses/bulk.ts'
import type { BulkRowState } from '#shared/rules/bulk-actions.ts'
import { localizedText, type Localized } from '#web/lib/i18n/localized-text.tsx'
import type { Tone } from '#web/ui/status.tsx'

/** How the state of a site is shown. */
export const stateLooks: Readonly<Record<BulkRowState, { tone: Tone; busy?: true }>> = {
  waiting: { tone: 'none' },
  running: { tone: 'info', busy: true },
  done: { tone: 'ok' },
  failed: { tone: 'bad' },
  skipped: { tone: 'off' },
  canceled: { tone: 'off' },
}

/** Why a site failed, was skipped or waits; null if there is nothing to say. */
export function reasonOf(row: BulkRow): Localized | null {
  return row.reason === null || row.reason === '' ? null : localizedText(row.reason, row.reason_i18n)
}

/** The columns of the matrix: the steps of all jobs by key, in the order in which they are run. */
export function stepColumns(rows: readonly BulkRow[]): { key: string; label: string }[] {
  const columns = new Map<string, string>()
  for (const { steps } of rows) for (const { key, label } of steps) if (!columns.has(key)) columns.set(key, label)
  return [...columns].map(([key, label]) => ({ key, label }))
}
