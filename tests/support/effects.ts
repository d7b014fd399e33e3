/** Crash points around the effects of a job's steps, for tests that kill its process. */
import { crashPointName } from '#server/jobs/crash-point.ts'

/** Before each effect of a job, in order. */
export const beforeEffects = (type: string, steps: readonly string[]): string[] => [
  crashPointName(type, 'claimed'),
  ...steps.map((step) => crashPointName(type, 'after-intent', step)),
  crashPointName(type, 'before-done'),
]

/** After each effect of a job, in order. `within` has those between the effects of a step, by its key. */
export const afterEffects = (
  type: string,
  steps: readonly string[],
  within: Readonly<Record<string, readonly string[]>> = {},
): string[] => [
  ...steps.flatMap((step) => [...(within[step] ?? []), crashPointName(type, 'after-run', step)]),
  crashPointName(type, 'after-done'),
]
