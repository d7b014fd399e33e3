import { jobLabelMessage } from '#shared/localized-message.ts'
import { messageText } from '#web/lib/i18n/catalog.ts'

/** Label of a job: the server's English text, and its document's title if the label contains it. */
export interface Labelled {
  label?: string | null
  reference_title?: string | null
}

/** Localized label of a job: "Create blog" is looked up as "Create {0}". '' if there is no label. */
export function jobLabel({ label, reference_title: title }: Labelled): string {
  return label ? messageText(jobLabelMessage(label, title)) : ''
}

/** Localized label of a job step. */
export function stepLabel(step: { label: string } | null | undefined): string {
  return step ? messageText(jobLabelMessage(step.label)) : ''
}
