import { stored } from '#shared/sentence.ts'
import { spoken } from '../i18n/catalogue.ts'

/** What names a job: the server's English, and the title of its document when that stands in it. */
export interface Labelled {
  label?: string | null
  reference_title?: string | null
}

/** What a job does, in the reader's language: "Create blog" is found under "Create {0}". '' for no label. */
export function jobLabel({ label, reference_title: title }: Labelled): string {
  return label ? spoken(stored(label, title)) : ''
}

/** What a step of a job does, in the reader's language. */
export function stepLabel(step: { label: string } | null | undefined): string {
  return step ? spoken(stored(step.label)) : ''
}
