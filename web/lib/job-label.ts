import { described } from './catalogue.ts'

/** What names a job: the server's English, and the title of its document when that stands in it. */
export interface Labelled {
  label?: string | null
  reference_title?: string | null
}

/** What a job does, in the reader's language: "Create blog" is found under "Create {title}". '' for no label. */
export function jobLabel({ label, reference_title: title }: Labelled): string {
  if (!label) return ''
  if (!title) return described(label)
  return described(label.replace(title, () => '{title}')).replace('{title}', () => title)
}
