import type { BulkRun } from '#shared/doctypes/bulk-run.ts'
import { translateText } from '#web/lib/i18n/catalog.ts'
import type { Tone } from '#web/ui/status.tsx'

/** Label of a bulk run, translated where it is words. */
export function bulkRunLabel(label: string | null): string {
  const [action = '', ...rest] = (label ?? '').split(': ')
  return [translateText(action), ...rest].join(': ')
}

/** How a run is shown that ended without being done on all of its sites; undefined for others. */
export function bulkRunTone(run: Pick<BulkRun, 'status' | 'total' | 'done' | 'failed'>): Tone | undefined {
  if (run.status !== 'Done' || run.done === run.total) return undefined
  return run.failed > 0 ? 'bad' : 'off'
}
