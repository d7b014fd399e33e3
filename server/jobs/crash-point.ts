/** Names of crash points (`platform/processes/crash-point.ts`) in a job. */

/** Crash points around one step, in order. `intent` is the commit of its status `Running`, `record` that of `Done`. */
export const stepCrashPoints = ['before-intent', 'after-intent', 'after-run', 'after-record'] as const

/** Crash points of a whole job, in order. */
export const jobCrashPoints = ['claimed', 'before-done', 'after-done'] as const

/** Crash points of a canceled job: before its rollback, and after it but before the result is recorded. */
export const cancelCrashPoints = ['cancel-begun', 'cancel-undone'] as const

/** Name of a crash point, for example `site.create/copy_files/after-intent` or `site.create/claimed`. */
export function crashPointName(type: string, moment: string, step?: string): string {
  return step ? `${type}/${step}/${moment}` : `${type}/${moment}`
}

/** All crash points of a job with these steps, in the order a run passes them. */
export function crashPointsOf(type: string, steps: readonly string[]): string[] {
  const [claimed, ...end] = jobCrashPoints
  return [
    crashPointName(type, claimed),
    ...steps.flatMap((step) => stepCrashPoints.map((moment) => crashPointName(type, moment, step))),
    ...end.map((moment) => crashPointName(type, moment)),
  ]
}
