/**
 * Crash points: places between the writes of a job at which a test lets the process kill itself, or stand still while
 * another part of the product is killed, so that every order of "written, done, not yet recorded" can be provoked in
 * the real program. Without the environment variables they do nothing.
 */
import { readFileSync, rmSync } from 'node:fs'

/** Moments around one step, in order. `intent` is the commit of its status `Running`, `record` that of `Done`. */
export const stepMoments = ['before-intent', 'after-intent', 'after-run', 'after-record'] as const

/** Moments of a whole job, in order. */
export const jobMoments = ['claimed', 'before-done', 'after-done'] as const

/** Moments of a cancelled job: before its undo, and after it, before that is written down. */
export const cancelMoments = ['cancel-begun', 'cancel-undone'] as const

/** Name of a point, e.g. `site.create/copy_files/after-intent` or `site.create/claimed`. */
export function crashPointName(type: string, moment: string, step?: string): string {
  return step ? `${type}/${step}/${moment}` : `${type}/${moment}`
}

/** All points of a job with these steps, in the order in which a run passes them. */
export function crashPointsOf(type: string, steps: readonly string[]): string[] {
  const [claimed, ...end] = jobMoments
  return [
    crashPointName(type, claimed),
    ...steps.flatMap((step) => stepMoments.map((moment) => crashPointName(type, moment, step))),
    ...end.map((moment) => crashPointName(type, moment)),
  ]
}

/**
 * When `EASYDASH_CRASH_AT` names this point, ends the process at once, as a power cut would. When the file whose path
 * is in `EASYDASH_STOP_FILE` names it, removes that file and lets the process stand still (SIGSTOP) until somebody
 * sends SIGCONT.
 */
export function crashPoint(name: string): void {
  if (process.env['EASYDASH_CRASH_AT'] === name) process.kill(process.pid, 'SIGKILL')
  const stopFile = process.env['EASYDASH_STOP_FILE']
  if (!stopFile || orderIn(stopFile) !== name) return
  rmSync(stopFile)
  process.kill(process.pid, 'SIGSTOP')
}

/** What the file asks for; null while there is none. */
function orderIn(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}
