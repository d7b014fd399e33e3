/** Values in MB to choose PHP's memory limit from, ascending. */
export const memoryLimitsMb = ['64', '128', '256', '384'] as const
/** Values in MB to choose the largest upload from, ascending. */
export const uploadLimitsMb = ['2', '8', '16', '32', '64'] as const

/** Limits of a site that nobody changed. */
export const defaultPhpLimits = { memoryMb: 256, uploadMb: 64 } as const

/** Whether a number of MB is one of the values above. */
export function isPhpLimit(choices: readonly string[], value: unknown): value is number {
  return typeof value === 'number' && choices.includes(String(value))
}
