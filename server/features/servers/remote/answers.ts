import type { JobContext, StepWait } from '#server/contracts/job.ts'
import type { Ssh } from '#server/platform/ssh/ssh.ts'
import { SshError, type SshErrorKind } from '#server/platform/ssh/ssh-error.ts'
import type { SshTarget } from '#server/platform/ssh/ssh-target.ts'
import { AppError } from '#shared/errors.ts'

const away: ReadonlySet<SshErrorKind> = new Set(['unreachable', 'refused_key', 'timeout', 'lost'])

/** Whether an error is what comes from a machine that shuts down or starts. */
export const isAway = (error: unknown): error is SshError => error instanceof SshError && away.has(error.kind)

/** Waits until a machine accepts our key. */
export async function untilAnswers(
  ssh: Ssh,
  job: JobContext,
  target: SshTarget,
  wait: StepWait,
): Promise<StepWait | undefined> {
  try {
    await ssh.read(target, ['true'], { deadlineMs: 20_000, signal: job.signal })
    return undefined
  } catch (error) {
    if (!isAway(error)) throw error
    job.log(error.message)
    return wait
  }
}

/** What was wrong and what to do, in one line. Anything but an answer of the machine is an error of the call. */
export function adviceOf(error: unknown): string {
  if (!(error instanceof SshError) && !(error instanceof AppError && error.code === 'unavailable')) throw error
  return error.nextAction ? `${error.message} ${error.nextAction.text}` : error.message
}
