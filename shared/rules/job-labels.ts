/**
 * Labels of jobs with a name beside the title of their document. Stored labels are plain text, so this says where the name is: the
 * translated sentence needs it as a value.
 */
export const labelsWithTitleFirst = [
  'Change the domain of {0} to {1}',
  // While it waits it is a job of its source.
  'Clone {0} to {1}',
  'Compare {0} with {1}',
  'Create the staging site {0} of {1}',
  'Move the database of {0} to {1}',
  'Roll {0} back to WordPress {1}',
] as const

/** The same, with the title at the end. */
export const labelsWithTitleLast = [
  'Activate {0} on {1}',
  'Clone {0} to {1}',
  'Compress {0} of {1}',
  'Create the staging site {0} of {1}',
  'Deactivate {0} on {1}',
  'Delete {0} on {1}',
  'Extract {0} of {1}',
  'Import {0} as {1}',
  'Install {0} on {1}',
  'Push {0} to {1}',
  'Roll back {0} on {1}',
  'Update {0} on {1}',
  'WordPress {0} on {1}',
] as const

/** The id of a job's label and its two values in order; null if it has no name beside the title. */
export function namedLabel(label: string, title: string): { id: string; values: [string, string] } | null {
  for (const id of labelsWithTitleFirst) {
    const [before = '', between = ''] = fixedParts(id)
    const start = before + title + between
    if (label.startsWith(start) && label.length > start.length)
      return { id, values: [title, label.slice(start.length)] }
  }
  for (const id of labelsWithTitleLast) {
    const [before = '', between = ''] = fixedParts(id)
    const end = between + title
    const isOne = label.startsWith(before) && label.endsWith(end) && label.length > before.length + end.length
    if (isOne) return { id, values: [label.slice(before.length, -end.length), title] }
  }
  return null
}

const fixedParts = (id: string): string[] => id.split(/\{[01]\}/)
