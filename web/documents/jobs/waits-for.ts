import type { Job } from '#shared/doctypes/job.ts'
import { createCatalog } from '#web/lib/i18n/catalog.ts'
import { jobLabel } from './job-label.ts'

const t = createCatalog({ waits_for: 'Waits for “{label}”' })

/** Which job a queued one waits for; null if it waits for none. */
export function waitsForText({
  waits_for_label: label,
  waits_for_title: title,
}: Pick<Job, 'waits_for_label' | 'waits_for_title'>): string | null {
  return label ? t('waits_for', { label: jobLabel({ label, reference_title: title ?? null }) }) : null
}
