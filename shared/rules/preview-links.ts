/** For how long a preview link works, in hours by the text of the choice. */
export const previewHours = { '1 hour': 1, '1 day': 24, '7 days': 168, '30 days': 720 } as const

/** Texts of the choices, shortest first. */
export const previewChoices = [
  '1 hour',
  '1 day',
  '7 days',
  '30 days',
] as const satisfies readonly (keyof typeof previewHours)[]

/** The longest time a preview link works, in milliseconds. */
export const maxPreviewMs: number = 30 * 24 * 3_600_000
