import type { JobStepDefinition } from '#server/contracts/job.ts'
import { EngineError } from '#server/engines/engine.ts'
import { errorMessage, isRetryable } from '#server/jobs/failure.ts'
import { AppError } from '#shared/errors.ts'
import { msg, type LocalizedMessage } from '#shared/localized-message.ts'

/** Makes a step's errors say first what the job puts back after them, then what they advise. */
export function takenBack(step: JobStepDefinition, isBack: LocalizedMessage): JobStepDefinition {
  return {
    ...step,
    async run(context) {
      try {
        return await step.run(context)
      } catch (error) {
        if (context.signal.aborted) throw error
        throw withTakenBack(error, isBack)
      }
    },
  }
}

/** The error, saying first that the change was taken back. */
export function withTakenBack(error: unknown, isBack: LocalizedMessage): AppError {
  const own = error instanceof EngineError || error instanceof AppError ? error : null
  const advice = own?.nextAction
  // A site missing on the machine is a conflict, because its document exists.
  const code = own === null ? 'unavailable' : own.code === 'not_found' ? 'conflict' : own.code
  return new AppError(code, errorMessage(error), {
    retryable: isRetryable(error),
    nextAction: advice === undefined || advice.text === '' ? isBack : msg`${isBack} ${advice}`,
    cause: error,
  })
}
