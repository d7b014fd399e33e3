/** Names of crash points (`platform/processes/crash-point.ts`) in a job. */

/** Crash points around one step, in order. `intent` is the commit of its status `Running`, `record` that of `Done`. */
export const stepMoments = ['before-intent', 'after-intent', 'after-run', 'after-record'] as const

/** Crash points of a whole job, in order. */
export const jobMoments = ['claimed', 'before-done', 'after-done'] as const

/** Crash points of a cancelled job: before its rollback, and after it but before the result is recorded. */
export const cancelMoments = ['cancel-begun', 'cancel-undone'] as const

/** Name of a crash point, for example `site.create/copy_files/after-intent` or `site.create/claimed`. */
export function crashPointName(type: string, moment: string, step?: string): string {
  return step ? `${type}/${step}/${moment}` : `${type}/${moment}`
}

/** All crash points of a job with these steps, in the order a run passes them. */
export function crashPointsOf(type: string, steps: readonly string[]): string[] {
  const [claimed, ...end] = jobMoments
  return [
    crashPointName(type, claimed),
    ...steps.flatMap((step) => stepMoments.map((moment) => crashPointName(type, moment, step))),
    ...end.map((moment) => crashPointName(type, moment)),
  ]
}
