/** For how long debug mode can be turned on, in hours by the text of the choice. */
export const debugHours = { '1 hour': 1, '4 hours': 4, '24 hours': 24, '7 days': 168 } as const

/** Texts of the choices, shortest first. */
export const debugChoices = [
  '1 hour',
  '4 hours',
  '24 hours',
  '7 days',
] as const satisfies readonly (keyof typeof debugHours)[]

/** The longest time debug mode stays on, in milliseconds. */
export const maxDebugMs: number = 7 * 24 * 3_600_000
